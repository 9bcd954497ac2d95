/* Included by sea-cc into each file that it compiles: the file's record becomes a section. */
#ifdef __SEA_RECORD
__asm__(".pushsection .sea_py,\"\",%progbits\n.incbin \"" __SEA_RECORD "\"\n.popsection\n");
#undef __SEA_RECORD
#endif
