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

# egpu_bpf_matrix(<target> <folder> <file.bpf.c>...)
# Each program by every clang that is here, from the oldest that objects are accepted from, for each instruction set it
# has: <folder>/clang-22/v3/NAME.bpf.o in the build. A program whose source says " * needs -mcpu=vN" is left out below that.
function(egpu_bpf_matrix matrix folder)
  add_custom_target(${matrix})
  foreach(version 14 15 16 17 18 19 20 21 22)
    find_program(EGPU_CLANG_${version} clang-${version})
    mark_as_advanced(EGPU_CLANG_${version})
    set(cpus 1 2 3)
    if(version GREATER_EQUAL 18)
      list(APPEND cpus 4)
    endif()
    if(NOT EGPU_CLANG_${version})
      set(cpus)
    endif()
    foreach(program ${ARGN})
      get_filename_component(name ${program} NAME_WE)
      file(STRINGS ${program} needs REGEX "^ \\* needs -mcpu=v[1-4]$")
      string(REGEX REPLACE ".*v" "" oldest "${needs}")
      foreach(cpu ${cpus})
        if(oldest AND cpu LESS oldest)
          continue()
        endif()
        set(stem ${folder}/clang-${version}/v${cpu}/${name})
        string(MAKE_C_IDENTIFIER ${stem} target)
        egpu_bpf_object(${target} ${program} ${CMAKE_BINARY_DIR}/${stem}.bpf.o
                        COMPILER ${EGPU_CLANG_${version}} CPU v${cpu})
        add_dependencies(${matrix} ${target})
      endforeach()
    endforeach()
  endforeach()
endfunction()
