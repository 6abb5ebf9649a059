// The choice of kernels at run time, for the whole core.
#include "kernels.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

#if defined(_WIN32)
#include <windows.h>
#endif

namespace hott {

extern const Kernels baseline_kernels, neon_kernels;
extern const Kernels avx2_kernels, avx512_kernels;  // where CMake compiles them: HOTT_AVX
extern const EncoderKernels baseline_encoder, neon_encoder, avx2_encoder, avx512_encoder, vnni_encoder;

#if defined(HOTT_AVX)
static bool has_avx2() {
#if defined(_WIN32)
    return IsProcessorFeaturePresent(PF_AVX2_INSTRUCTIONS_AVAILABLE);
#else
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
#endif
}

static bool has_avx512() {
#if defined(_WIN32)  // Windows does not tell all that x86-64-v4 asks for
    return false;
#else
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#endif
}

static bool has_vnni() {
#if defined(_WIN32)
    return false;
#else
    return __builtin_cpu_supports("avx512vnni");
#endif
}
#endif

// The last, which is the fastest, or the one that the environment names.
template <class Table>
static const Table& choose(const std::vector<const Table*>& found) {
    if (const char* wanted = std::getenv("HOTT_INSTRUCTIONS"))
        for (const Table* table : found)
            if (std::strcmp(table->name, wanted) == 0) return *table;
    return *found.back();
}

const Kernels& kernels() {
    static const Kernels& chosen = [&]() -> const Kernels& {
#if defined(__aarch64__)
        std::vector<const Kernels*> found{&neon_kernels};
#else
        std::vector<const Kernels*> found{&baseline_kernels};
#endif
#if defined(HOTT_AVX)
        if (has_avx2()) found.push_back(&avx2_kernels);
        if (has_avx2() && has_avx512()) found.push_back(&avx512_kernels);
#endif
        return choose(found);
    }();
    return chosen;
}

const EncoderKernels& encoder_kernels() {
    static const EncoderKernels& chosen = [&]() -> const EncoderKernels& {
#if defined(__aarch64__)
        std::vector<const EncoderKernels*> found{&neon_encoder};
#else
        std::vector<const EncoderKernels*> found{&baseline_encoder};
#endif
#if defined(HOTT_AVX)
        if (has_avx2()) found.push_back(&avx2_encoder);
        if (has_avx2() && has_avx512()) found.push_back(&avx512_encoder);
        if (has_avx2() && has_avx512() && has_vnni()) found.push_back(&vnni_encoder);
#endif
        return choose(found);
    }();
    return chosen;
}

}  // namespace hott
