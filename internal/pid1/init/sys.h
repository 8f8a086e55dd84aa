/* System calls without a C library, for the two architectures we build for. */
#ifndef SYS_H
#define SYS_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long u64;

#if defined(__x86_64__)

enum {
	SYS_READ = 0, SYS_WRITE = 1, SYS_CLOSE = 3, SYS_MMAP = 9, SYS_SIGACTION = 13, SYS_SIGPROCMASK = 14,
	SYS_RECVMSG = 47, SYS_CLONE = 56, SYS_WAIT4 = 61, SYS_KILL = 62, SYS_WAITID = 247, SYS_FCNTL = 72,
	SYS_EXIT_GROUP = 231, SYS_GETEUID = 107, SYS_SETSID = 112, SYS_KEYCTL = 250, SYS_DUP3 = 292, SYS_CLONE3 = 435,
};

static inline long sys(u64 nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	long ret;
	register u64 r10 __asm__("r10") = d;
	register u64 r8 __asm__("r8") = e;
	register u64 r9 __asm__("r9") = f;
	__asm__ volatile("syscall" : "=a"(ret)
		: "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return ret;
}

/* The kernel enters with the stack pointer 16-byte aligned; a C function
 * expects that to be so before a call. */
__asm__(".globl _start\n_start:\n\txor %ebp,%ebp\n\tcall init\n\thlt\n");

/* x86-64 has no default return path from a signal handler. */
__asm__("restorer:\n\tmov $15,%eax\n\tsyscall\n");
void restorer(void);
#define SIG_RETURN restorer
#define SA_RESTORER 0x04000000UL

#elif defined(__aarch64__)

enum {
	SYS_READ = 63, SYS_WRITE = 64, SYS_CLOSE = 57, SYS_MMAP = 222, SYS_SIGACTION = 134, SYS_SIGPROCMASK = 135,
	SYS_RECVMSG = 212, SYS_CLONE = 220, SYS_WAIT4 = 260, SYS_KILL = 129, SYS_WAITID = 95, SYS_FCNTL = 25,
	SYS_EXIT_GROUP = 94, SYS_GETEUID = 175, SYS_SETSID = 157, SYS_KEYCTL = 219, SYS_DUP3 = 24, SYS_CLONE3 = 435,
};

static inline long sys(u64 nr, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	register u64 x8 __asm__("x8") = nr;
	register u64 x0 __asm__("x0") = a;
	register u64 x1 __asm__("x1") = b;
	register u64 x2 __asm__("x2") = c;
	register u64 x3 __asm__("x3") = d;
	register u64 x4 __asm__("x4") = e;
	register u64 x5 __asm__("x5") = f;
	__asm__ volatile("svc #0" : "+r"(x0)
		: "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
		: "memory");
	return (long)x0;
}

__asm__(".globl _start\n_start:\n\tmov x29,#0\n\tmov x30,#0\n\tb init\n");

/* The kernel's vdso supplies the return path here. */
#define SIG_RETURN ((void (*)(void))0)
#define SA_RESTORER 0UL

#else
#error "no system-call stubs for this architecture"
#endif
#endif
