#include "textflag.h"

// As entry_amd64.s, where the reasons stand. System calls by asm-generic/unistd.h.
#define SYS_dup3 24
#define SYS_fcntl 25
#define SYS_faccessat 48
#define SYS_close 57
#define SYS_write 64
#define SYS_ppoll 73
#define SYS_exit 93
#define SYS_sched_yield 124
#define SYS_prctl 167
#define SYS_socketpair 199
#define SYS_clone 220
#define SYS_prlimit64 261
#define SYS_memfd_create 279
#define SYS_execveat 281

DATA empty<>+0(SB)/1, $0
GLOBL empty<>(SB), RODATA, $1

DATA name<>+0(SB)/8, $"jail-ini"
DATA name<>+8(SB)/2, $"t\x00"
GLOBL name<>(SB), RODATA, $10

DATA argv<>+0(SB)/8, $name<>(SB)
DATA argv<>+8(SB)/8, $0
GLOBL argv<>(SB), RODATA, $16

DATA environ<>+0(SB)/8, $0
GLOBL environ<>(SB), RODATA, $8

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
GLOBL noTime<>(SB), NOPTR, $16

// R19: image, R20: channel, R21: environ.
TEXT become<>(SB), NOSPLIT|NOFRAME, $0
	MOVD $SYS_fcntl, R8
	MOVD R19, R0
	MOVD $1030, R1 // F_DUPFD_CLOEXEC
	MOVD $10, R2
	SVC
	CMP  $0, R0
	BLT  failed
	MOVD R0, R19
	MOVD $SYS_fcntl, R8
	MOVD R20, R0
	MOVD $1030, R1
	MOVD $10, R2
	SVC
	CMP  $0, R0
	BLT  failed
	MOVD $SYS_dup3, R8
	MOVD $3, R1
	MOVD $0, R2
	SVC
	CMP  $0, R0
	BLT  failed
	MOVD $SYS_execveat, R8
	MOVD R19, R0
	MOVD $empty<>(SB), R1
	MOVD $argv<>(SB), R2
	MOVD R21, R3
	MOVD $0x1000, R4 // AT_EMPTY_PATH
	SVC
failed:
	NEG  R0, R0
	MOVD $SYS_exit, R8
	SVC
	BRK

// func spawn(image, channel, environ uintptr) (pid int)
TEXT ·spawn(SB), NOSPLIT, $0-32
	MOVD image+0(FP), R19
	MOVD channel+8(FP), R20
	MOVD environ+16(FP), R21
	MOVD $SYS_clone, R8
	MOVD $0x4111, R0 // CLONE_VM | CLONE_VFORK | SIGCHLD
	MOVD $0, R1
	MOVD $0, R2
	MOVD $0, R3
	MOVD $0, R4
	SVC
	CBNZ R0, parent
	JMP  become<>(SB)
parent:
	MOVD R0, pid+24(FP)
	RET

TEXT jail_entry(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVD 0(RSP), R0
	CMP  $2, R0
	BLT  look
	MOVD 16(RSP), R0
	MOVWU 0(R0), R0
	MOVD $0x006e7572, R1 // "run"
	CMPW R1, R0
	BNE  look

	MOVD 0(RSP), R0
	MOVD RSP, R4
	ADD  R0<<3, R4, R1
	ADD  $16, R1 // the environment
	MOVD $0, R3
env:
	MOVD 0(R1), R0
	CBZ  R0, last
	ADD  $8, R1
	MOVWU 0(R0), R0
	MOVD $0x43474f47, R2 // "GOGC"
	CMPW R2, R0
	BEQ  look
	MOVD $0x454d4f47, R2 // "GOME"
	CMPW R2, R0
	BEQ  look
	MOVD $0x45444f47, R2 // "GODE"
	CMPW R2, R0
	BEQ  look
	MOVD $0x414d4f47, R2 // "GOMA"
	CMPW R2, R0
	BNE  env
	MOVD $1, R3
	JMP  env
last:
	CBNZ R3, start
	MOVD $single<>(SB), R2
	SUB  $16, R4, R5
	MOVD R5, RSP
move:
	MOVD.P 8(R4), R0
	MOVD.P R0, 8(R5)
	CMP  R1, R4
	BLO  move
	MOVD R2, 0(R5)
	MOVD R2, 8(R5)
	MOVD $·early(SB), R1
	MOVD $1, R0
	MOVW R0, 16(R1)

start:
	MOVD ·profileRate(SB), R0
	MOVD ZR, 0(R0)
	MOVD $SYS_prlimit64, R8
	MOVD $0, R0
	MOVD $1, R1 // RLIMIT_FSIZE
	MOVD $0, R2
	MOVD $limit<>(SB), R3
	SVC
	CBNZ R0, look
	MOVD $limit<>(SB), R3
	MOVD 0(R3), R3
	MOVD ·image+8(SB), R2
	CMP  R2, R3
	BLO  look

	MOVD $SYS_memfd_create, R8
	MOVD $name<>(SB), R0
	MOVD $0x13, R1 // MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC
	SVC
	CMN  $22, R0 // EINVAL
	BNE  made
	MOVD $SYS_memfd_create, R8
	MOVD $name<>(SB), R0
	MOVD $3, R1
	SVC
made:
	CMP  $0, R0
	BLT  look
	MOVD R0, R19
	CMP  $3, R19
	BLT  few
	MOVD $SYS_write, R8
	MOVD ·image(SB), R1
	MOVD ·image+8(SB), R2
	MOVD R2, R22
	SVC
	CMP  R22, R0
	BNE  image
	MOVD $SYS_fcntl, R8
	MOVD R19, R0
	MOVD $1033, R1 // F_ADD_SEALS
	MOVD $15, R2
	SVC
	CBNZ R0, image
	MOVD $SYS_socketpair, R8
	MOVD $1, R0 // AF_UNIX
	MOVD $0x80005, R1 // SOCK_SEQPACKET | SOCK_CLOEXEC
	MOVD $0, R2
	MOVD $ends<>(SB), R3
	SVC
	CBNZ R0, image
	MOVD $ends<>(SB), R3
	MOVW 0(R3), R23 // ours
	MOVW 4(R3), R20

	MOVD $0, R24
	MOVD $SYS_faccessat, R8
	MOVD $-100, R0 // AT_FDCWD
	MOVD $unified<>(SB), R1
	MOVD $0, R2 // F_OK
	SVC
	CBZ  R0, clone
	MOVD $SYS_write, R8
	MOVD R23, R0
	MOVD $request<>(SB), R1
	MOVD $16, R2
	SVC
	CMP  $16, R0
	BNE  ends
	MOVD $1, R24

clone:
	MOVD $SYS_clone, R8
	MOVD $0x111, R0 // CLONE_VM | SIGCHLD
	MOVD $0, R1
	MOVD $0, R2
	MOVD $0, R3
	MOVD $0, R4
	SVC
	CMP  $0, R0
	BLT  ends
	BNE  parent
	MOVD $environ<>(SB), R21
	JMP  become<>(SB)
parent:
	MOVD $·early(SB), R1
	MOVW R0, 0(R1)
	MOVW R23, 4(R1)
	MOVW R24, 8(R1)
	MOVD $SYS_sched_yield, R8
	SVC
	MOVD $SYS_prctl, R8
	MOVD $29, R0 // PR_SET_TIMERSLACK
	MOVD $1000000, R1 // ns
	SVC
	MOVD $SYS_prlimit64, R8
	MOVD $0, R0
	MOVD $7, R1 // RLIMIT_NOFILE
	MOVD $0, R2
	MOVD $limit<>(SB), R3
	SVC
	CBNZ R0, theirs
	MOVD $limit<>(SB), R2
	MOVD $3, R3
	MOVD R3, 0(R2)
	MOVD $SYS_prlimit64, R8
	MOVD $0, R0
	MOVD $7, R1 // RLIMIT_NOFILE
	MOVD $0, R3
	SVC
	JMP  theirs
ends:
	MOVD $SYS_close, R8
	MOVD R23, R0
	SVC
theirs:
	MOVD $SYS_close, R8
	MOVD R20, R0
	SVC
image:
	MOVD $SYS_close, R8
	MOVD R19, R0
	SVC
runtime:
	JMP  _rt0_arm64_linux(SB)

few:
	MOVD $SYS_close, R8
	MOVD R19, R0
	SVC
look:
	MOVD $SYS_ppoll, R8
	MOVD $·stdio(SB), R0
	MOVD $3, R1
	MOVD $noTime<>(SB), R2
	MOVD $0, R3
	SVC
	JMP  runtime
