// Exported functions of libraries that stand in for the driver. They start as the real driver's do:
// pushes, then a comparison of a global with an immediate (measured on driver 580). The hook
// planner is made for that shape; a compiler's own prologues vary.
#pragma once

// Exports NAME, which goes on at TARGET with the state of a call: "function" or
// "*pointer_to_function(%rip)". STATE: a hidden variable of four bytes or more.
#define EGPU_DRIVER_ENTRY(name, state, target) \
  __asm__(                                     \
      ".pushsection .text\n"                   \
      ".p2align 4\n"                           \
      ".globl " #name                          \
      "\n"                                     \
      ".type " #name ", @function\n" #name     \
      ":\n"                                    \
      "  push %rbp\n"                          \
      "  mov %rsp, %rbp\n"                     \
      "  push %r12\n"                          \
      "  sub $8, %rsp\n"                       \
      "  cmpl $0x321cba00, " state             \
      "(%rip)\n"                               \
      "  lea -8(%rbp), %rsp\n"                 \
      "  pop %r12\n"                           \
      "  pop %rbp\n"                           \
      "  jmp " target                          \
      "\n"                                     \
      ".size " #name ", .-" #name              \
      "\n"                                     \
      ".popsection\n")
