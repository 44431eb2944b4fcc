# egpu_bpf_object(<target> <file.bpf.c> <output.o>)
# foo.bpf.c -> BPF ELF object with BTF, the input of `egpu run`. Flags are those README gives to users.
function(egpu_bpf_object target source output)
  get_filename_component(source ${source} ABSOLUTE)
  get_filename_component(directory ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${directory})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${EGPU_CLANG} -target bpf -mcpu=v3 -O2 -g -Wall -Werror
            -I${CMAKE_SOURCE_DIR}/include -MD -MF ${output}.d -c ${source} -o ${output}
    DEPENDS ${source}
    DEPFILE ${output}.d
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${output})
endfunction()
