// Functions with prologues of many shapes, for the tests of the hook planner and patcher.
//
// Those named sum_* take eleven integers, five of them on the stack, and return 1*a1 + 2*a2 + ... + 11*a11 + 100,
// if whatever their prologue reads or compares reached them intact. Numbers behind instructions are offsets in the function.

  .text

.macro function name
  .globl \name
  .type \name, @function
  .p2align 4
\name:
.endm

.macro end name
  .size \name, . - \name
.endm

// Adds the weighted arguments to %rax; \depth bytes have been pushed since the call.
.macro add_arguments depth
  lea (%rax,%rdi), %rax
  lea (%rax,%rsi,2), %rax
  imul $3, %rdx, %r10
  add %r10, %rax
  lea (%rax,%rcx,4), %rax
  imul $5, %r8, %r10
  add %r10, %rax
  imul $6, %r9, %r10
  add %r10, %rax
  imul $7, \depth+8(%rsp), %r10
  add %r10, %rax
  imul $8, \depth+16(%rsp), %r10
  add %r10, %rax
  imul $9, \depth+24(%rsp), %r10
  add %r10, %rax
  imul $10, \depth+32(%rsp), %r10
  add %r10, %rax
  imul $11, \depth+40(%rsp), %r10
  add %r10, %rax
.endm

// What the driver's exported functions begin with.
function sum_driver
  push %rbp                             // 0
  mov %rsp, %rbp                        // 1
  push %r12                             // 4
  sub $8, %rsp                          // 6
  cmpl $0x12345678, number(%rip)        // a, 10 bytes
  jne 1f                                // 14
  mov $100, %eax
  add_arguments 24
1:
  add $8, %rsp
  pop %r12
  pop %rbp
  ret
end sum_driver

// The first long instruction crosses a 16-byte block, is undone instead, and the jump goes to the next.
function sum_many_pushes
  endbr64                               // 0
  push %r15                             // 4
  push %r14
  push %r13
  push %r12
  push %rbp                             // c
  push %rbx                             // d
  sub $0x128, %rsp                      // e
  mov hundred(%rip), %rax               // 15
  add_arguments 344
  add $0x128, %rsp
  pop %rbx
  pop %rbp
  pop %r12
  pop %r13
  pop %r14
  pop %r15
  ret
end sum_many_pushes

function sum_big_frame
  endbr64                               // 0
  push %rbp                             // 4
  mov %rsp, %rbp                        // 5
  sub $0x1000, %rsp                     // 8
  mov $100, %eax
  add_arguments 0x1008
  leave
  ret
end sum_big_frame

function sum_lea
  endbr64                               // 0
  push %rbp                             // 4
  mov %rsp, %rbp                        // 5
  lea hundred(%rip), %rax               // 8
  mov (%rax), %rax
  add_arguments 8
  pop %rbp
  ret
end sum_lea

function sum_load
  push %rbx                             // 0
  push %r12                             // 1
  mov hundred(%rip), %rax               // 3
  add_arguments 16
  pop %r12
  pop %rbx
  ret
end sum_load

// The displacement is followed by an immediate of one byte, of two bytes.
function sum_compare_byte
  push %rbx                             // 0
  push %r12                             // 1
  cmpb $0x78, number(%rip)              // 3
  jne 1f
  mov $100, %eax
  add_arguments 16
1:
  pop %r12
  pop %rbx
  ret
end sum_compare_byte

function sum_compare_word
  push %rbx                             // 0
  push %r12                             // 1
  cmpw $0x5678, number(%rip)            // 3
  jne 1f
  mov $100, %eax
  add_arguments 16
1:
  pop %r12
  pop %rbx
  ret
end sum_compare_word

function sum_nop
  push %rbx                             // 0
  nopl 0x10000(%rax)                    // 1, 7 bytes
  mov $100, %eax
  add_arguments 8
  pop %rbx
  ret
end sum_nop

// A register that was pushed is overwritten before the jump.
function sum_saved_argument
  push %rbx                             // 0
  mov %rdi, %rbx                        // 1
  push %r12                             // 4
  push %r13                             // 6
  movabs $0x123456789abcdef0, %rax      // 8, 10 bytes
  mov %rbx, %rdi
  mov $100, %eax
  add_arguments 24
  pop %r13
  pop %r12
  pop %rbx
  ret
end sum_saved_argument

function sum_jump
  endbr64                               // 0
  .byte 0xe9                            // 4: jmp rel32, whatever the distance
  .long sum_plain - . - 4
end sum_jump

function sum_jump_through_memory
  endbr64                               // 0
  jmp *address_of_sum_plain(%rip)       // 4
end sum_jump_through_memory

// The flags come from the copied prologue: always taken.
function sum_conditional_jump
  push %rbx                             // 0
  sub $8, %rsp                          // 1
  .byte 0x0f, 0x83                      // 5: jae rel32
  .long 1f - . - 4
  ud2
1:
  mov $100, %eax
  add_arguments 16
  add $8, %rsp
  pop %rbx
  ret
end sum_conditional_jump

// Ten doubles, two of them on the stack: their sum and 0.5.
function double_sum
  sub $8, %rsp                          // 0
  movsd half(%rip), %xmm8               // 4, in a 16-byte block only
  addsd %xmm1, %xmm0
  addsd %xmm2, %xmm0
  addsd %xmm3, %xmm0
  addsd %xmm4, %xmm0
  addsd %xmm5, %xmm0
  addsd %xmm6, %xmm0
  addsd %xmm7, %xmm0
  addsd %xmm8, %xmm0
  addsd 16(%rsp), %xmm0
  addsd 24(%rsp), %xmm0
  add $8, %rsp
  ret
end double_sum

// long f(long, ...): 1000 * first argument + number of vector registers, which %al holds.
function variadic
  push %rbp                             // 0
  mov %rsp, %rbp                        // 1
  push %r12                             // 4
  sub $8, %rsp                          // 6
  lea hundred(%rip), %r10               // a
  movzbl %al, %eax
  imul $1000, %rdi, %rdi
  add %rdi, %rax
  add $8, %rsp
  pop %r12
  pop %rbp
  ret
end variadic

// From here on: functions that do not fit.

function too_short
  lea (%rdi,%rsi), %rax
  ret
end too_short

function branch_back
  push %rbx                             // 0
  push %r12                             // 1
1:
  mov hundred(%rip), %rax               // 3
  dec %rdi                              // a
  jne 1b                                // d
  pop %r12
  pop %rbx
  ret
end branch_back

function loop_to_start
1:
  nop                                   // 0
  mov hundred(%rip), %rax               // 1
  dec %rdi                              // 8
  jne 1b                                // b
  ret
end loop_to_start

function first_rip_relative
  cmpl $0, number(%rip)                 // 0
  mov hundred(%rip), %rax
  ret
end first_rip_relative

function call_in_prologue
  push %rbx                             // 0
  push %r12                             // 1
  .byte 0xe8                            // 3: call rel32
  .long sum_plain - . - 4
  pop %r12
  pop %rbx
  ret
end call_in_prologue

function indirect_call_in_prologue
  push %rbx                             // 0
  push %r12                             // 1
  call *address_of_sum_plain(%rip)      // 3
  pop %r12
  pop %rbx
  ret
end indirect_call_in_prologue

function crosses_block
  push %r12                             // 0
  push %r13
  push %r14
  push %r15
  sub $8, %rsp                          // 8
  mov hundred(%rip), %rax               // c
  add $8, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  ret
end crosses_block

function short_branch
  push %rbx                             // 0
  je 1f                                 // 1
  mov hundred(%rip), %rax               // 3
1:
  pop %rbx
  ret
end short_branch

function only_nops
  .fill 60, 1, 0x90
  ret
end only_nops

function many_pushes
  .rept 20
  push %r12
  .endr
  mov hundred(%rip), %rax
  add $160, %rsp
  ret
end many_pushes

function pushes_stack_pointer
  push %rsp                             // 0
  mov hundred(%rip), %rax
  pop %rsp
  ret
end pushes_stack_pointer

function moves_unsaved_register
  mov %rdi, %rbx                        // 0
  mov hundred(%rip), %rax
  ret
end moves_unsaved_register

function transaction
  push %rbx                             // 0
  push %r12                             // 1
  .byte 0xc7, 0xf8                      // 3: xbegin rel32
  .long 0
  pop %r12
  pop %rbx
  ret
end transaction

function eip_relative
  push %rbx                             // 0
  push %r12                             // 1
  mov number(%eip), %eax                // 3
  pop %r12
  pop %rbx
  ret
end eip_relative

// The displacement 05050505 and the immediate 05050505 look like each other.
function ambiguous_field
  push %rbx                             // 0
  push %r12                             // 1
  .byte 0x81, 0x3d                      // 3: cmpl $imm,disp(%rip)
  .long 0x05050505, 0x05050505
  pop %r12
  pop %rbx
  ret
end ambiguous_field

function undecodable
  push %rbx                             // 0
  push %r12                             // 1
  mov hundred(%rip), %rax               // 3
  .byte 0x06                            // a: no instruction of 64-bit mode
  ret
end undecodable

// Longer than the 15 bytes an instruction may have.
function too_many_prefixes
  push %rbx                             // 0
  .fill 60, 1, 0x26                     // 1
  nop
  pop %rbx
  ret
end too_many_prefixes

  .globl no_size
  .type no_size, @function
no_size:
  endbr64
  jmp sum_plain

  .hidden sum_plain
function sum_plain
  mov $100, %eax
  add_arguments 0
  ret
end sum_plain

  .globl another_name
  .type another_name, @function
  .set another_name, sum_driver
  .size another_name, 32

  .data
  .p2align 4
  .globl exported_data
  .type exported_data, @object
exported_data:
  .quad 1
  .size exported_data, 8
address_of_sum_plain:
  .quad sum_plain

  .section .rodata
  .p2align 4
hundred:
  .quad 100
half:
  .double 0.5
number:
  .long 0x12345678

  .section .note.GNU-stack, "", @progbits
