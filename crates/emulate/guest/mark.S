# The program `testbed-mark` of the guest: one instruction that does nothing but is seen by plugin/numa_timing.c,
# which then notes its counts, and from the first one on charges for memory.
    .globl _start
_start:
    .byte 0x0f, 0x1f, 0x84, 0x00, 'N', 'U', 'M', 'A'   # nopl 0x414d554e(%rax,%rax)
    movl $60, %eax                                      # exit(0)
    xorl %edi, %edi
    syscall
    .section .note.GNU-stack, "", @progbits
