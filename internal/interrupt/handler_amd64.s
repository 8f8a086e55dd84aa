#include "go_asm.h"
#include "textflag.h"

DATA word<>+0(SB)/8, $"jail: a "
DATA word<>+8(SB)/8, $"signal, "
DATA word<>+16(SB)/8, $"ending a"
DATA word<>+24(SB)/7, $"t once\n"
GLOBL word<>(SB), RODATA, $31

// handle is called by the kernel, with the signal in DI. It changes nothing
// that the interrupted code could see: the kernel puts all registers back.
TEXT handle<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVL DI, BX
	SUBQ $16, SP
	MOVL $228, AX // clock_gettime
	MOVL $1, DI   // CLOCK_MONOTONIC
	MOVQ SP, SI
	SYSCALL
	IMUL3Q $1000000000, 0(SP), CX
	ADDQ 8(SP), CX
	ADDQ $16, SP
	XORL AX, AX
	LOCK
	CMPXCHGQ CX, ·caught+8(SB)
	JNE  further
	MOVL BX, ·caught+4(SB)
	MOVL $1, AX // write
	MOVL ·caught+0(SB), DI
	LEAQ ·caught+4(SB), SI
	MOVL $1, DX
	SYSCALL
	RET
further:
	SUBQ AX, CX
	CMPQ CX, $const_grace
	JGE  last
	RET
last: // with a word on stderr, if that takes one now
	SUBQ $16, SP
	MOVQ $0x400000002, AX // POLLOUT, of descriptor 2
	MOVQ AX, 0(SP)
	MOVL $7, AX // poll
	MOVQ SP, DI
	MOVL $1, SI
	XORL DX, DX
	SYSCALL
	TESTB $4, 6(SP) // POLLOUT
	JEQ  end
	MOVL $1, AX // write
	MOVL $2, DI
	LEAQ word<>(SB), SI
	MOVL $31, DX
	SYSCALL
end:
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
