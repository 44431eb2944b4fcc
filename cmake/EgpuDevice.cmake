# egpu_device_bitcode(<output.bc> SOURCES <file.c>...)
# Freestanding C -> one LLVM bitcode file for nvptx64. Needs clang and llvm-link of the LLVM release in use, and no
# CUDA toolkit. Sources are named relative to their folder, so that no path of this machine gets into the
# bitcode. The processor named here only lets clang know the instructions of inline PTX; the code generator
# decides what code is made for.
enable_language(ASM)  # device_runtime.S embeds the result
find_program(EGPU_LLVM_LINK NAMES llvm-link-22 HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)

function(egpu_device_bitcode output)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  set(parts)
  foreach(source ${arg_SOURCES})
    set(part ${CMAKE_CURRENT_BINARY_DIR}/${source}.bc)
    add_custom_command(
      OUTPUT ${part}
      COMMAND ${EGPU_CLANG} --target=nvptx64-nvidia-cuda -march=sm_70 -std=c17 -ffreestanding -nogpulib
              -O2 -fno-strict-aliasing -I${CMAKE_SOURCE_DIR}/src
              -Wall -Wextra -Wno-unused-parameter -Werror -MD -MF ${part}.d -MT ${part}
              -emit-llvm -c ${source} -o ${part}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source}
      DEPFILE ${part}.d
      VERBATIM)
    list(APPEND parts ${part})
  endforeach()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${EGPU_LLVM_LINK} ${parts} -o ${output}
    DEPENDS ${parts}
    VERBATIM)
endfunction()

# egpu_device_ptx(<output.ptx> SOURCE <file.cc>)
# Freestanding C++ -> PTX that every GPU since sm_70 and every driver that egpu supports takes. Needs no CUDA toolkit.
function(egpu_device_ptx output)
  cmake_parse_arguments(arg "" "SOURCE" "" ${ARGN})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${EGPU_CLANG} --target=nvptx64-nvidia-cuda -march=sm_70 --cuda-feature=+ptx70 -std=c++20 -ffreestanding
            -nogpulib -O2 -Wall -Wextra -Werror -MD -MF ${output}.d -MT ${output} -S ${arg_SOURCE} -o ${output}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SOURCE}
    DEPFILE ${output}.d
    VERBATIM)
endfunction()
