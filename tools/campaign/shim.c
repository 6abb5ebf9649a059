/* Loaded before the C library (LD_PRELOAD), this counts the system calls that change files, and at the n-th of
 * them does what a kill, a power cut or a full disk would do. Only what comes after campaign_arm counts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { COUNT, KILL, HALF, POWER, FULL }; /* HALF: a write is cut in the middle; FULL: no room from here on */

static atomic_long done, at = -1;
static atomic_int mode = COUNT, armed = 0;

#define FILES 4096
static atomic_char dirty[FILES];  /* written to since it was last brought to the disk */
static struct { int fd; dev_t device; ino_t inode; } closed[FILES]; /* copies of dirty files that were closed */
static atomic_int n_closed;

void campaign_arm(long n, int what) {
    for (int fd = 0; fd < FILES; fd++) dirty[fd] = 0;
    n_closed = done = 0;
    at = n;
    mode = what;
    armed = 1;
}

long campaign_count(void) {
    armed = 0;
    return done;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void die(void) {
    armed = 0;
    if (mode == POWER) { /* what was not brought to the disk is lost */
        for (int fd = 0; fd < FILES; fd++)
            if (dirty[fd]) (void)!NEXT(ftruncate)(fd, 0);
        for (int i = 0; i < n_closed && i < FILES; i++)
            if (closed[i].fd >= 0) (void)!NEXT(ftruncate)(closed[i].fd, 0);
    }
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static int is_file(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

/* Count a call. 1: the disk is full, and the call needs room. 2: write half of it, then die. */
static int step(int needs_room, int is_write) {
    if (!armed) return 0;
    long n = atomic_fetch_add(&done, 1);
    if (at < 0 || n < at) return 0;
    if (mode == FULL) return needs_room;
    if (mode == HALF && is_write) return 2;
    if (mode != COUNT) die();
    return 0;
}

static void written(int fd) {
    if (armed && fd >= 0 && fd < FILES) dirty[fd] = 1;
}

#define NO_ROOM(result) do { errno = ENOSPC; return result; } while (0)

ssize_t write(int fd, const void *data, size_t size) {
    int what = armed && is_file(fd) ? step(1, 1) : 0;
    if (what == 1) NO_ROOM(-1);
    if (what == 2) { (void)!NEXT(write)(fd, data, size / 2); die(); }
    if (armed && is_file(fd)) written(fd);
    return NEXT(write)(fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t place) {
    int what = armed && is_file(fd) ? step(1, 1) : 0;
    if (what == 1) NO_ROOM(-1);
    if (what == 2) { (void)!NEXT(pwrite64)(fd, data, size / 2, place); die(); }
    if (armed) written(fd);
    return NEXT(pwrite64)(fd, data, size, place);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t place) { return pwrite64(fd, data, size, place); }

ssize_t writev(int fd, const struct iovec *parts, int n) {
    if (armed && is_file(fd)) {
        if (step(1, 0) == 1) NO_ROOM(-1);
        written(fd);
    }
    return NEXT(writev)(fd, parts, n);
}

#define OPENING(name, parameters, arguments)                          \
    int name parameters {                                             \
        mode_t permissions = 0;                                       \
        if (flags & (O_CREAT | __O_TMPFILE)) {                        \
            va_list rest;                                             \
            va_start(rest, flags);                                    \
            permissions = va_arg(rest, mode_t);                       \
            va_end(rest);                                             \
        }                                                             \
        if ((flags & (O_CREAT | O_TRUNC)) && step(1, 0) == 1) NO_ROOM(-1); \
        return NEXT(name) arguments;                                  \
    }

OPENING(open, (const char *path, int flags, ...), (path, flags, permissions))
OPENING(open64, (const char *path, int flags, ...), (path, flags, permissions))
OPENING(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, permissions))
OPENING(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, permissions))

#define COUNTED(result, name, needs_room, parameters, arguments) \
    result name parameters {                                     \
        if (step(needs_room, 0) == 1) NO_ROOM(-1);               \
        return NEXT(name) arguments;                             \
    }

COUNTED(int, rename, 0, (const char *old, const char *new), (old, new))
COUNTED(int, renameat, 0, (int a, const char *old, int b, const char *new), (a, old, b, new))
COUNTED(int, link, 1, (const char *old, const char *new), (old, new))
COUNTED(int, linkat, 1, (int a, const char *old, int b, const char *new, int flags), (a, old, b, new, flags))
COUNTED(int, unlink, 0, (const char *path), (path))
COUNTED(int, unlinkat, 0, (int folder, const char *path, int flags), (folder, path, flags))
COUNTED(int, mkdir, 1, (const char *path, mode_t permissions), (path, permissions))
COUNTED(int, mkdirat, 1, (int folder, const char *path, mode_t permissions), (folder, path, permissions))
COUNTED(int, rmdir, 0, (const char *path), (path))
COUNTED(int, ftruncate, 0, (int fd, off_t size), (fd, size))
COUNTED(int, ftruncate64, 0, (int fd, off64_t size), (fd, size))
COUNTED(int, msync, 0, (void *start, size_t size, int flags), (start, size, flags))

int posix_fallocate64(int fd, off64_t start, off64_t size) {
    if (step(1, 0) == 1) return ENOSPC;
    return NEXT(posix_fallocate64)(fd, start, size);
}
int posix_fallocate(int fd, off_t start, off_t size) { return posix_fallocate64(fd, start, size); }

static int synced(int fd, int result) {
    struct stat now;
    if (!armed || mode != POWER || fd < 0 || fd >= FILES || fstat(fd, &now)) return result;
    dirty[fd] = 0;
    for (int i = 0; i < n_closed && i < FILES; i++)
        if (closed[i].device == now.st_dev && closed[i].inode == now.st_ino) closed[i].fd = -1;
    return result;
}

int fsync(int fd) {
    step(0, 0);
    return synced(fd, NEXT(fsync)(fd));
}

int fdatasync(int fd) {
    step(0, 0);
    return synced(fd, NEXT(fdatasync)(fd));
}

int close(int fd) {
    struct stat now;
    if (armed && mode == POWER && fd >= 0 && fd < FILES && dirty[fd] && fstat(fd, &now) == 0) {
        int n = atomic_fetch_add(&n_closed, 1);
        if (n < FILES) {
            closed[n].device = now.st_dev;
            closed[n].inode = now.st_ino;
            closed[n].fd = dup(fd);
        }
        dirty[fd] = 0;
    }
    return NEXT(close)(fd);
}
