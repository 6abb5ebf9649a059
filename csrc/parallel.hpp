// Work shared over threads, with a watcher that can report progress and stop everything.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>

#if !defined(__wasm__)
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace hott {

// Hears now and then how much of the work is done. May throw, to stop it.
using Watch = std::function<void(std::int64_t done, std::int64_t total)>;

// Runs body(task, worker, stop) for every task in [0, tasks), tasks handed out in order. The calling thread waits and
// calls watch(finished, tasks) some 20 times a second; what watch or a body throws stops the rest and is thrown here,
// after every worker has ended. A body that may run long looks at `stop` now and then.
//
// What is `brief` takes no longer than to start a thread: the calling thread does it, and calls watch at the end.
inline void parallel_for(std::int64_t tasks, [[maybe_unused]] int threads,
                         const std::function<void(std::int64_t, int, const std::atomic<bool>&)>& body,
                         const Watch& watch, bool brief = false) {
#if defined(__wasm__)
    brief = true;  // there is the one thread that calls
#endif
    if (brief) {
        const std::atomic<bool> stop{false};
        for (std::int64_t task = 0; task < tasks; ++task) body(task, 0, stop);
        watch(tasks, tasks);
        return;
    }
#if !defined(__wasm__)
    std::atomic<std::int64_t> next{0}, finished{0};
    std::atomic<bool> stop{false};
    std::exception_ptr failure;
    std::mutex mutex;
    std::condition_variable ended;
    int running = static_cast<int>(std::min<std::int64_t>(std::max(threads, 1), tasks));

    auto work = [&](int worker) {
        try {
            for (std::int64_t task; !stop && (task = next++) < tasks; ++finished) body(task, worker, stop);
        } catch (...) {
            std::lock_guard<std::mutex> lock(mutex);
            if (!failure) failure = std::current_exception();
            stop = true;
        }
        std::lock_guard<std::mutex> lock(mutex);
        --running;
        ended.notify_one();
    };

    std::vector<std::thread> workers;
    const int count = running;
    try {
        for (int worker = 0; worker < count; ++worker) workers.emplace_back(work, worker);
        std::unique_lock<std::mutex> lock(mutex);
        while (running > 0) {
            if (ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) break;
            lock.unlock();
            watch(finished, tasks);
            lock.lock();
        }
    } catch (...) {
        stop = true;
        for (std::thread& worker : workers) worker.join();
        throw;
    }
    for (std::thread& worker : workers) worker.join();
    if (failure) std::rethrow_exception(failure);
    watch(tasks, tasks);
#endif
}

}  // namespace hott
