package interrupt

const saRestorer = 0x04000000 // SA_RESTORER
