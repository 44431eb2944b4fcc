// The exported functions of the double start as the real driver's do: pushes, then a comparison of
// a global with an immediate (measured on driver 580). The hook planner is made for that shape; a
// compiler's own prologues vary.
#pragma once

// Exports NAME; its body is fake_NAME, an extern "C" function.
#define FAKE_CUDA_EXPORT(name)                        \
  __asm__(                                            \
      ".pushsection .text\n"                          \
      ".p2align 4\n"                                  \
      ".globl " #name                                 \
      "\n"                                            \
      ".type " #name ", @function\n" #name            \
      ":\n"                                           \
      "  push %rbp\n"                                 \
      "  mov %rsp, %rbp\n"                            \
      "  push %r12\n"                                 \
      "  sub $8, %rsp\n"                              \
      "  cmpl $0x321cba00, fake_driver_state(%rip)\n" \
      "  lea -8(%rbp), %rsp\n"                        \
      "  pop %r12\n"                                  \
      "  pop %rbp\n"                                  \
      "  jmp fake_" #name                             \
      "\n"                                            \
      ".size " #name ", .-" #name                     \
      "\n"                                            \
      ".popsection\n")
