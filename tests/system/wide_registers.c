/* For the simulated kernel on hosts with AMX: it keeps 2,696 bytes of floating-point state of a process, as much as AVX-512 needs, but such
   a host takes back only the whole 11 kB. This stands before ptrace(2) and fills up what is missing with what the process has. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

long ptrace(enum __ptrace_request request, ...)
{
    static long (*real)(enum __ptrace_request, ...);
    static _Alignas(64) char whole[65536];
    va_list given;
    va_start(given, request);
    pid_t pid = va_arg(given, pid_t);
    void *address = va_arg(given, void *);
    void *data = va_arg(given, void *);
    va_end(given);
    if (!real)
        real = (long (*)(enum __ptrace_request, ...))dlsym(RTLD_NEXT, "ptrace");
    if (request == PTRACE_SETREGSET && (long)address == NT_X86_XSTATE) {
        struct iovec *part = data, all = {whole, sizeof whole};
        if (real(PTRACE_GETREGSET, pid, address, &all) == 0 && all.iov_len > part->iov_len) {
            memcpy(whole, part->iov_base, part->iov_len);
            return real(PTRACE_SETREGSET, pid, address, &all);
        }
    }
    return real(request, pid, address, data);
}
