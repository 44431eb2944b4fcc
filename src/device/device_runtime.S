// Puts the bitcode file EGPU_DEVICE_RUNTIME_BITCODE (a quoted path) into the library.
        .section .rodata.egpu_device_runtime,"a",@progbits

        .balign 8
        .globl kEgpuDeviceRuntimeSize
        .hidden kEgpuDeviceRuntimeSize
kEgpuDeviceRuntimeSize:
        .quad .Lend - kEgpuDeviceRuntimeBegin

        .globl kEgpuDeviceRuntimeBegin
        .hidden kEgpuDeviceRuntimeBegin
kEgpuDeviceRuntimeBegin:
        .incbin EGPU_DEVICE_RUNTIME_BITCODE
.Lend:

        .section .note.GNU-stack,"",@progbits
