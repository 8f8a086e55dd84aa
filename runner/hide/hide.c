/*
 * A library that does one thing when it is loaded: it makes the process undumpable
 * (prctl(2), PR_SET_DUMPABLE), so that no other of the box, its children among them,
 * reads or writes its memory through /proc/PID/mem. execve clears it, so only the
 * program itself can have it done, and Node.js has no call for it.
 *
 * It has no C library and needs none, so that whichever the program has will do.
 */
#define PR_SET_DUMPABLE 4

void hide(void)
{
#if defined(__x86_64__)
	long ret;
	__asm__ volatile("syscall" : "=a"(ret) : "a"(157L), "D"((long)PR_SET_DUMPABLE), "S"(0L), "d"(0L) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = 167, x0 __asm__("x0") = PR_SET_DUMPABLE, x1 __asm__("x1") = 0;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
#else
#error "which system call is it?"
#endif
}
