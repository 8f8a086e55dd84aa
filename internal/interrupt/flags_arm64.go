package interrupt

const saRestorer = 0 // the vdso has what the kernel returns to
