# egpu_bpf_object(<target> <file.bpf.c> <output.o>)
# foo.bpf.c -> BPF ELF object with BTF, the input of `egpu run`. Flags are those README gives to users.
# Another compiler or -mcpu: egpu_bpf_object(... COMPILER <clang> CPU <v1..v4>).
function(egpu_bpf_object target source output)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "COMPILER;CPU" "")
  if(NOT arg_COMPILER)
    set(arg_COMPILER ${EGPU_CLANG})
  endif()
  if(NOT arg_CPU)
    set(arg_CPU v3)
  endif()
  get_filename_component(source ${source} ABSOLUTE)
  get_filename_component(directory ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${directory})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${arg_COMPILER} -target bpf -mcpu=${arg_CPU} -O2 -g -Wall -Werror
            -I${CMAKE_SOURCE_DIR}/include -MD -MF ${output}.d -c ${source} -o ${output}
    DEPENDS ${source}
    DEPFILE ${output}.d
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${output})
endfunction()
