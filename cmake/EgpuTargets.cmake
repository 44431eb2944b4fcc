# The four kinds of target in this tree. A folder's CMakeLists.txt is a list of calls to these.

add_library(egpu_options INTERFACE)
target_include_directories(egpu_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_options(egpu_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror)
if(EGPU_SANITIZE)
  # vptr needs RTTI of LLVM's classes, which LLVM is built without.
  target_compile_options(egpu_options INTERFACE
    -fsanitize=${EGPU_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(EGPU_SANITIZE MATCHES undefined)
    target_compile_options(egpu_options INTERFACE -fno-sanitize=vptr)
  endif()
  target_link_options(egpu_options INTERFACE -fsanitize=${EGPU_SANITIZE})
endif()
if(EGPU_FUZZ)
  target_compile_options(egpu_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# egpu_library(<name> SOURCES <file>... [DEPS <target>...])
function(egpu_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC egpu_options ${arg_DEPS})
endfunction()

# What every test includes, compiled once for each set of options: half of a build is tests, and these headers were a third of what
# their compilation took. What tests do themselves runs once and is not optimised, which was another third.
set(EGPU_TEST_OPTIONS $<$<CONFIG:Debug>:-O0>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND EGPU_TEST_OPTIONS -fpch-preprocess)  # ccache wants it
endif()
function(egpu_test_headers name)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cc CONTENT "int main() {}\n")
  add_executable(${name} EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE egpu_options ${ARGN} GTest::gmock)
  target_compile_options(${name} PRIVATE ${EGPU_TEST_OPTIONS})
  target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
endfunction()
egpu_test_headers(egpu_test_headers)
egpu_test_headers(egpu_emu_test_headers egpu_emu)

# egpu_test(<name> SOURCES <file>... [DEPS <target>...] [LABELS <label>...] [ALONE])
# One executable; each TEST in it becomes one ctest case. ALONE: no other test runs meanwhile.
function(egpu_test name)
  cmake_parse_arguments(arg "ALONE" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE egpu_options ${arg_DEPS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    EGPU_SOURCE_DIR="${CMAKE_SOURCE_DIR}" EGPU_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_compile_options(${name} PRIVATE ${EGPU_TEST_OPTIONS})
  if(egpu_emu IN_LIST arg_DEPS)
    target_precompile_headers(${name} REUSE_FROM egpu_emu_test_headers)
  else()
    target_precompile_headers(${name} REUSE_FROM egpu_test_headers)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300
    RUN_SERIAL ${arg_ALONE} LABELS "${arg_LABELS}")
endfunction()

# egpu_benchmark(<name> SOURCES <file>... [DEPS <target>...]): not under sanitizers, which are slow.
function(egpu_benchmark name)
  if(EGPU_SANITIZE)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE egpu_options ${arg_DEPS} benchmark::benchmark benchmark::benchmark_main)
endfunction()

# egpu_fuzzer(<name> SOURCES <file>... [DEPS <target>...]): built in the fuzz preset alone.
# Seeds, if any, lie in tests/corpus/<name>/.
function(egpu_fuzzer name)
  if(NOT EGPU_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE egpu_options ${arg_DEPS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzzers)
endfunction()

include(GoogleTest)

# egpu_api_program(<name> <file.c>): a program that uses libegpu, as its author would build it: in C99, with nothing but the installed
# header; it finds the library as bin/egpu does.
function(egpu_api_program name source)
  add_executable(${name} ${source})
  target_compile_options(${name} PRIVATE -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror)
  target_link_libraries(${name} PRIVATE egpu_api)
  set_target_properties(${name} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib")
  if(EGPU_SANITIZE)
    target_link_options(${name} PRIVATE -fsanitize=${EGPU_SANITIZE})
  endif()
endfunction()
