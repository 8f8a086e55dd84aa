#include "textflag.h"

DATA word<>+0(SB)/8, $"jail: se"
DATA word<>+8(SB)/8, $"cond sig"
DATA word<>+16(SB)/8, $"nal, end"
DATA word<>+24(SB)/8, $"ing at o"
DATA word<>+32(SB)/4, $"nce\n"
GLOBL word<>(SB), RODATA, $36

// handle is called by the kernel, with the signal in DI. It changes nothing
// that the interrupted code could see: the kernel puts all registers back.
TEXT handle<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVL DI, BX
	MOVL $1, AX
	LOCK
	XADDL AX, ·caught+8(SB)
	TESTL AX, AX
	JNE  second
	MOVL BX, ·caught+4(SB)
	MOVL $1, AX // write
	MOVL ·caught+0(SB), DI
	LEAQ ·caught+4(SB), SI
	MOVL $1, DX
	SYSCALL
	RET
second:
	MOVL $1, AX // write
	MOVL $2, DI
	LEAQ word<>(SB), SI
	MOVL $36, DX
	SYSCALL
	MOVL $231, AX // exit_group
	LEAL 128(BX), DI
	SYSCALL
	INT  $3

TEXT restore<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVL $15, AX // rt_sigreturn
	SYSCALL
	INT  $3

// func handler() uintptr
TEXT ·handler(SB), NOSPLIT, $0-8
	LEAQ handle<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func restorer() uintptr
TEXT ·restorer(SB), NOSPLIT, $0-8
	LEAQ restore<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET
