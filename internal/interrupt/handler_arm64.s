#include "textflag.h"

DATA word<>+0(SB)/8, $"jail: se"
DATA word<>+8(SB)/8, $"cond sig"
DATA word<>+16(SB)/8, $"nal, end"
DATA word<>+24(SB)/8, $"ing at o"
DATA word<>+32(SB)/4, $"nce\n"
GLOBL word<>(SB), RODATA, $36

// As in handler_amd64.s; the signal is in R0, and the kernel puts the return
// address, in its vdso, into R30.
TEXT handle<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVW R0, R9
	MOVD $·caught(SB), R10
	ADD  $8, R10, R11
count:
	LDAXRW (R11), R12
	ADDW $1, R12, R13
	STLXRW R13, (R11), R14
	CBNZW R14, count
	CBNZW R12, second
	MOVW R9, 4(R10)
	MOVD $64, R8 // write
	MOVW 0(R10), R0
	ADD  $4, R10, R1
	MOVD $1, R2
	SVC
	RET
second:
	MOVD $64, R8 // write
	MOVD $2, R0
	MOVD $word<>(SB), R1
	MOVD $36, R2
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
