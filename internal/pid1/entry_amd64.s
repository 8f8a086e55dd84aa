#include "textflag.h"

// System calls, by asm/unistd_64.h.
#define SYS_write 1
#define SYS_close 3
#define SYS_poll 7
#define SYS_access 21
#define SYS_sched_yield 24
#define SYS_socketpair 53
#define SYS_clone 56
#define SYS_exit 60
#define SYS_fcntl 72
#define SYS_prctl 157
#define SYS_dup3 292
#define SYS_memfd_create 319
#define SYS_prlimit64 302
#define SYS_execveat 322

DATA empty<>+0(SB)/1, $0
GLOBL empty<>(SB), RODATA, $1

DATA name<>+0(SB)/8, $"jail-ini"
DATA name<>+8(SB)/2, $"t\x00"
GLOBL name<>(SB), RODATA, $10

// argv of PID 1: its name alone.
DATA argv<>+0(SB)/8, $name<>(SB)
DATA argv<>+8(SB)/8, $0
GLOBL argv<>(SB), RODATA, $16

DATA environ<>+0(SB)/8, $0
GLOBL environ<>(SB), RODATA, $8

// The request for Namespaces, as Request.Send writes it.
DATA request<>+0(SB)/8, $0x7e020000
DATA request<>+8(SB)/8, $0
GLOBL request<>(SB), RODATA, $16

DATA unified<>+0(SB)/8, $"/sys/fs/"
DATA unified<>+8(SB)/8, $"cgroup/c"
DATA unified<>+16(SB)/8, $"group.co"
DATA unified<>+24(SB)/8, $"ntroller"
DATA unified<>+32(SB)/2, $"s\x00"
GLOBL unified<>(SB), RODATA, $34

DATA single<>+0(SB)/8, $"GOMAXPRO"
DATA single<>+8(SB)/5, $"CS=1\x00"
GLOBL single<>(SB), RODATA, $13

GLOBL ends<>(SB), NOPTR, $8
GLOBL limit<>(SB), NOPTR, $16

// become is the child of spawn and of jail_entry: it makes channel descriptor 3
// and executes image. Both are first moved out of the way of each other, to
// numbers that close on execve. It uses its parent's memory, so it writes to
// none of it, the stack included. The exit status is the errno.
// R12: image, R13: channel, R8: environ.
TEXT become<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ R8, BX
	MOVL $SYS_fcntl, AX
	MOVQ R12, DI
	MOVL $1030, SI // F_DUPFD_CLOEXEC
	MOVL $10, DX
	SYSCALL
	TESTQ AX, AX
	JLT  failed
	MOVQ AX, R12
	MOVL $SYS_fcntl, AX
	MOVQ R13, DI
	MOVL $1030, SI
	MOVL $10, DX
	SYSCALL
	TESTQ AX, AX
	JLT  failed
	MOVQ AX, DI
	MOVL $SYS_dup3, AX
	MOVL $3, SI
	XORL DX, DX
	SYSCALL
	TESTQ AX, AX
	JLT  failed
	MOVL $SYS_execveat, AX
	MOVQ R12, DI
	LEAQ empty<>(SB), SI
	LEAQ argv<>(SB), DX
	MOVQ BX, R10
	MOVL $0x1000, R8 // AT_EMPTY_PATH
	SYSCALL
failed:
	NEGQ AX
	MOVQ AX, DI
	MOVL $SYS_exit, AX
	SYSCALL
	INT  $3

// func spawn(image, channel, environ uintptr) (pid int)
TEXT ·spawn(SB), NOSPLIT, $0-32
	MOVQ image+0(FP), R12
	MOVQ channel+8(FP), R13
	MOVQ environ+16(FP), R8
	MOVL $SYS_clone, AX
	MOVL $0x4111, DI // CLONE_VM | CLONE_VFORK | SIGCHLD
	XORL SI, SI
	XORL DX, DX
	XORL R10, R10
	MOVQ R8, BX
	XORL R8, R8
	SYSCALL
	MOVQ BX, R8
	TESTQ AX, AX
	JNE  parent
	JMP  become<>(SB)
parent:
	MOVQ AX, pid+24(FP)
	RET

// jail_entry is where the kernel enters: argc, argv, NULL, environment on the
// stack, nothing else there yet. Whatever fails here is left to Go, which tells
// of it. Only registers that system calls preserve are used between them.
TEXT jail_entry(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	CMPQ 0(SP), $2
	JLT  look
	MOVQ 16(SP), SI
	CMPL 0(SI), $0x006e7572 // "run"
	JNE  look

	// Where the caller has a word on when the runtime collects garbage or what it
	// shows (GOGC, GOMEMLIMIT, GODEBUG) that may be before it opens its first file,
	// which is held back below: all is done later then.
	//
	// One processor is enough for a start: with more the runtime makes a thread
	// that looks for work where there is none. Unless the caller says how many,
	// this is put behind its environment, by moving what lies before that: twice,
	// so that the stack stays aligned. See Settle.
	MOVQ 0(SP), AX
	LEAQ 16(SP)(AX*8), CX // the environment
	XORL DX, DX // whether the caller says how many
env:
	MOVQ 0(CX), AX
	TESTQ AX, AX
	JEQ  last
	ADDQ $8, CX
	MOVL 0(AX), AX
	CMPL AX, $0x43474f47 // "GOGC"
	JEQ  look
	CMPL AX, $0x454d4f47 // "GOME"
	JEQ  look
	CMPL AX, $0x45444f47 // "GODE"
	JEQ  look
	CMPL AX, $0x414d4f47 // "GOMA"
	JNE  env
	MOVL $1, DX
	JMP  env
last:
	TESTL DX, DX
	JNE  start
	MOVQ SP, SI
	LEAQ -16(SI), DI
	MOVQ DI, SP
	SUBQ SI, CX
	SHRQ $3, CX
	CLD
	REP; MOVSQ
	LEAQ single<>(SB), AX
	MOVQ AX, 0(DI)
	MOVQ AX, 8(DI)
	MOVL $1, ·early+16(SB)

start:
	// A program in which nothing asks for a profile of its memory takes none, which
	// the runtime only sees after it has looked up the stack for a first sample.
	MOVQ ·profileRate(SB), AX
	MOVQ $0, 0(AX)
	// A write past the caller's limit on files would end us by SIGXFSZ.
	MOVL $SYS_prlimit64, AX
	XORL DI, DI
	MOVL $1, SI // RLIMIT_FSIZE
	XORL DX, DX
	LEAQ limit<>(SB), R10
	SYSCALL
	TESTQ AX, AX
	JNE  look
	MOVQ limit<>+0(SB), AX
	CMPQ AX, ·image+8(SB)
	JCS  look // unsigned less

	MOVL $SYS_memfd_create, AX
	LEAQ name<>(SB), DI
	MOVL $0x13, SI // MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC
	SYSCALL
	CMPQ AX, $-22 // EINVAL: before Linux 6.3 there is no MFD_EXEC
	JNE  made
	MOVL $SYS_memfd_create, AX
	LEAQ name<>(SB), DI
	MOVL $3, SI
	SYSCALL
made:
	TESTQ AX, AX
	JLT  look
	MOVQ AX, R12
	CMPQ R12, $3 // stdin, stdout or stderr is closed: Go is to see that
	JLT  few
	MOVL $SYS_write, AX
	MOVQ R12, DI
	MOVQ ·image(SB), SI
	MOVQ ·image+8(SB), DX
	SYSCALL
	CMPQ AX, ·image+8(SB)
	JNE  image
	MOVL $SYS_fcntl, AX
	MOVQ R12, DI
	MOVL $1033, SI // F_ADD_SEALS
	MOVL $15, DX // F_SEAL_SEAL | SHRINK | GROW | WRITE
	SYSCALL
	TESTQ AX, AX
	JNE  image
	MOVL $SYS_socketpair, AX
	MOVL $1, DI // AF_UNIX
	MOVL $0x80005, SI // SOCK_SEQPACKET | SOCK_CLOEXEC
	XORL DX, DX
	LEAQ ends<>(SB), R10
	SYSCALL
	TESTQ AX, AX
	JNE  image
	MOVLQSX ends<>+0(SB), R15 // ours
	MOVLQSX ends<>+4(SB), R13

	// On a unified hierarchy PID 1 is to be born in its group, which is not
	// there yet.
	XORL R14, R14
	MOVL $SYS_access, AX
	LEAQ unified<>(SB), DI
	XORL SI, SI // F_OK
	SYSCALL
	TESTQ AX, AX
	JEQ  clone
	MOVL $SYS_write, AX
	MOVQ R15, DI
	LEAQ request<>(SB), SI
	MOVL $16, DX
	SYSCALL
	CMPQ AX, $16
	JNE  ends
	MOVL $1, R14

clone:
	// Not CLONE_VFORK: the child touches nothing that we could change.
	MOVL $SYS_clone, AX
	MOVL $0x111, DI // CLONE_VM | SIGCHLD
	XORL SI, SI
	XORL DX, DX
	XORL R10, R10
	XORL R8, R8
	SYSCALL
	TESTQ AX, AX
	JLT  ends
	JNE  parent
	LEAQ environ<>(SB), R8
	JMP  become<>(SB)
parent:
	MOVL AX, ·early+0(SB)
	MOVL R15, ·early+4(SB)
	MOVL R14, ·early+8(SB)
	// A new process waits for its parent's processor even when another one is
	// idle, and only its execve moves it there.
	MOVL $SYS_sched_yield, AX
	SYSCALL
	// The runtime's monitor thread sleeps 20 µs at a time all through a short
	// run, and takes a processor from the box each time: it is content with more.
	MOVL $SYS_prctl, AX
	MOVL $29, DI // PR_SET_TIMERSLACK
	MOVL $1000000, SI // ns
	SYSCALL
	// The runtime begins by looking for the CPU quota of its own cgroup, in files of
	// /proc and sysfs, the whole mount table among them. It does without where it may
	// open no file, and package syscall then raises the limit to the hard one, as it
	// does in any case.
	MOVL $SYS_prlimit64, AX
	XORL DI, DI
	MOVL $7, SI // RLIMIT_NOFILE
	XORL DX, DX
	LEAQ limit<>(SB), R10
	SYSCALL
	TESTQ AX, AX
	JNE  theirs
	MOVQ $3, limit<>+0(SB) // its soft half: stdin, stdout and stderr may be opened where they are closed
	MOVL $SYS_prlimit64, AX
	XORL DI, DI
	MOVL $7, SI // RLIMIT_NOFILE
	LEAQ limit<>(SB), DX
	XORL R10, R10
	SYSCALL
	JMP  theirs
ends:
	MOVL $SYS_close, AX
	MOVQ R15, DI
	SYSCALL
theirs:
	MOVL $SYS_close, AX
	MOVQ R13, DI
	SYSCALL
image:
	MOVL $SYS_close, AX
	MOVQ R12, DI
	SYSCALL
runtime:
	JMP  _rt0_amd64_linux(SB)

	// A closed one of stdin, stdout and stderr is /dev/null by the time that Go's code
	// runs, as callers give it who want no answer. It is looked for here, but in the usual
	// run, where the number of the image's descriptor says that all three are open.
few:
	MOVL $SYS_close, AX
	MOVQ R12, DI
	SYSCALL
look:
	MOVL $SYS_poll, AX
	LEAQ ·stdio(SB), DI
	MOVL $3, SI
	XORL DX, DX
	SYSCALL
	JMP  runtime
