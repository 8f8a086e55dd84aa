#include "go_asm.h"
#include "textflag.h"

DATA word<>+0(SB)/8, $"jail: an"
DATA word<>+8(SB)/8, $"other si"
DATA word<>+16(SB)/8, $"gnal, en"
DATA word<>+24(SB)/8, $"ding at "
DATA word<>+32(SB)/5, $"once\n"
GLOBL word<>(SB), RODATA, $37

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
last:
	MOVD $64, R8 // write
	MOVD $2, R0
	MOVD $word<>(SB), R1
	MOVD $37, R2
	SVC
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
