# A library whose basic blocks all have names. Each of these is a leader, nothing else is.
        .text
        .macro  block name
        .globl  \name
        .type   \name, @function
\name:
        .endm

        # pick(x): 1 if x <= 10, 2 if not.
        block   pick
        .cfi_startproc
        cmp     $10, %edi
        jg      pick_large
        block   pick_small
        mov     $1, %eax
        ret
        .p2align 4
        block   pick_large
        mov     $2, %eax
        ret
        .cfi_endproc

        # table(i): 10, 20 or 30 for 0, 1 or 2, by a jump table.
        .p2align 4
        block   table
        .cfi_startproc
        lea     cases(%rip), %rax
        movslq  (%rax,%rdi,4), %rcx
        add     %rax, %rcx
        jmp     *%rcx
        block   table_0
        mov     $10, %eax
        ret
        .p2align 4
        block   table_1
        mov     $20, %eax
        jmp     table_end
        block   table_2
        mov     $30, %eax
        block   table_end
        ret
        .cfi_endproc

        # skip(x): a jump over a prefix; its target is no leader.
        block   skip
        .cfi_startproc
        mov     %edi, -8(%rsp)
        test    %edi, %edi
        je      1f+1
        block   skip_locked
1:      lock incl -8(%rsp)
        mov     -8(%rsp), %eax
        ret
        .cfi_endproc

        # stop(): a breakpoint of its own.
        block   stop
        .cfi_startproc
        xor     %eax, %eax
        int3
        ret
        .cfi_endproc

        # Without a description it does not count.
        .globl  hidden
hidden: ret

        .section .rodata
        .p2align 2
cases:  .long   table_0 - cases
        .long   table_1 - cases
        .long   table_2 - cases
        .section .note.GNU-stack,"",@progbits
