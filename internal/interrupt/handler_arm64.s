#include "go_asm.h"
#include "textflag.h"

DATA word<>+0(SB)/8, $"jail: a "
DATA word<>+8(SB)/8, $"signal, "
DATA word<>+16(SB)/8, $"ending a"
DATA word<>+24(SB)/7, $"t once\n"
GLOBL word<>(SB), RODATA, $31

// As in handler_amd64.s; the signal is in R0, and the kernel puts the return
// address, in its vdso, into R30.
TEXT handle<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVW R0, R9
	SUB  $16, RSP
	MOVD $113, R8 // clock_gettime
	MOVD $1, R0   // CLOCK_MONOTONIC
	MOVD RSP, R1
	SVC
	MOVD 0(RSP), R12
	MOVD $1000000000, R13
	MUL  R13, R12
	MOVD 8(RSP), R13
	ADD  R13, R12
	ADD  $16, RSP
	MOVD $·caught(SB), R10
	ADD  $8, R10, R11
swap:
	LDAXR (R11), R13
	CBNZ R13, further
	STLXR R12, (R11), R14
	CBNZW R14, swap
	MOVW R9, 4(R10)
	MOVD $64, R8 // write
	MOVW 0(R10), R0
	ADD  $4, R10, R1
	MOVD $1, R2
	SVC
	RET
further:
	CLREX
	SUB  R13, R12
	MOVD $const_grace, R13
	CMP  R13, R12
	BGE  last
	RET
last: // with a word on stderr, if that takes one now
	SUB  $32, RSP
	MOVD $0x400000002, R0 // POLLOUT, of descriptor 2
	MOVD R0, 0(RSP)
	MOVD ZR, 8(RSP) // no time
	MOVD ZR, 16(RSP)
	MOVD $73, R8 // ppoll
	MOVD RSP, R0
	MOVD $1, R1
	ADD  $8, RSP, R2
	MOVD ZR, R3
	SVC
	MOVB 6(RSP), R0
	TBZ  $2, R0, end // POLLOUT
	MOVD $64, R8 // write
	MOVD $2, R0
	MOVD $word<>(SB), R1
	MOVD $31, R2
	SVC
end:
	MOVD $94, R8 // exit_group
	ADD  $128, R9, R0
	SVC
	BRK

// func handler() uintptr
TEXT ·handler(SB), NOSPLIT, $0-8
	MOVD $handle<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func restorer() uintptr
TEXT ·restorer(SB), NOSPLIT, $0-8
	MOVD ZR, ret+0(FP)
	RET
