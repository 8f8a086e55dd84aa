#include "textflag.h"

DATA ·constant+0(SB)/8, $runtime·text(SB)
DATA ·constant+8(SB)/8, $runtime·epclntab(SB)
GLOBL ·constant(SB), RODATA|NOPTR, $16
