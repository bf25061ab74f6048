/* Preloaded into a compiler by `cargo lab faults`: changes its code in memory, before it starts.
 *
 * GAINSAY_FLIP=ADDRESS   inverts the lowest bit of one byte: of an opcode's condition.
 * GAINSAY_TRACE=FILE     FILE holds addresses of instructions, 8 bytes each. Puts a breakpoint on
 *                        each, which removes itself when it is met, and at the end overwrites FILE
 *                        with those that were met. So coverage costs one signal for each site.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, BREAKPOINT = 0xcc, FAILED = 125 };

static const char *trace_file;
static uint64_t *sites, low;
static size_t count;
static unsigned char *original;

static void check(int good) {
    if (!good)
        _exit(FAILED);
}

static void make_writable(uint64_t from, uint64_t to) {
    from &= ~(uint64_t)(PAGE - 1);
    check(mprotect((void *)from, to - from, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
}

static void met(int signal, siginfo_t *info, void *context) {
    greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    unsigned char *site = (unsigned char *)*rip - 1;
    (void)signal, (void)info;
    *site = original[(uint64_t)site - low];
    *rip = (greg_t)site;
}

static void begin_trace(void) {
    struct stat file;
    int fd = open(trace_file, O_RDONLY);
    check(fd >= 0 && fstat(fd, &file) == 0);
    count = file.st_size / sizeof *sites;
    if (count == 0)
        return;
    sites = mmap(NULL, file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    check(sites != MAP_FAILED);
    close(fd);
    low = sites[0];
    size_t size = sites[count - 1] + 1 - low;
    original = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(original != MAP_FAILED);
    memcpy(original, (void *)low, size);
    struct sigaction action = {.sa_sigaction = met, .sa_flags = SA_SIGINFO};
    check(sigaction(SIGTRAP, &action, NULL) == 0);
    make_writable(low, low + size);
    for (size_t i = 0; i < count; i++)
        *(unsigned char *)sites[i] = BREAKPOINT;
}

__attribute__((constructor)) static void begin(void) {
    const char *flip = getenv("GAINSAY_FLIP");
    trace_file = getenv("GAINSAY_TRACE");
    if (flip) {
        uint64_t address = strtoull(flip, NULL, 16);
        make_writable(address, address + 1);
        *(unsigned char *)address ^= 1;
    }
    if (trace_file)
        begin_trace();
}

__attribute__((destructor)) static void end(void) {
    if (!trace_file || count == 0)
        return;
    /* Not in place: the old list is still mapped. */
    check(unlink(trace_file) == 0);
    int fd = open(trace_file, O_WRONLY | O_CREAT | O_EXCL, 0600);
    check(fd >= 0);
    static uint64_t buffer[4096];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (*(unsigned char *)sites[i] != BREAKPOINT)
            buffer[used++] = sites[i];
        if (used == 4096 || i + 1 == count) {
            check(write(fd, buffer, used * 8) == (ssize_t)(used * 8));
            used = 0;
        }
    }
}
