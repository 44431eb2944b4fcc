// Puts the bitcode file EGPU_DEVICE_RUNTIME_BITCODE (a quoted path) into the library.
        .section .rodata.egpu_device_runtime,"a",@progbits

        .balign 8
        .globl egpu_device_runtime_size
        .hidden egpu_device_runtime_size
egpu_device_runtime_size:
        .quad .Lend - egpu_device_runtime_begin

        .globl egpu_device_runtime_begin
        .hidden egpu_device_runtime_begin
egpu_device_runtime_begin:
        .incbin EGPU_DEVICE_RUNTIME_BITCODE
.Lend:

        .section .note.GNU-stack,"",@progbits
