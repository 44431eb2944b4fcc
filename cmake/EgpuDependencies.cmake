# Third-party libraries, as imported targets with one name each whatever the link mode.

if(EGPU_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  set(ZLIB_USE_STATIC_LIBS ON)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

find_package(LLVM 22.1 REQUIRED CONFIG)
find_package(Threads REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED)

# egpu_import(<target> <library> [<dependency>...]): an imported library found by file name.
function(egpu_import target library)
  find_library(EGPU_${target}_LIBRARY NAMES ${library} REQUIRED)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(${target} INTERFACE ${EGPU_${target}_LIBRARY} ${ARGN})
endfunction()

egpu_import(third_party_zstd zstd)
if(NOT TARGET zstd::libzstd_shared)
  # LLVM's export names the shared library, whatever was found.
  add_library(zstd::libzstd_shared ALIAS third_party_zstd)
endif()
egpu_import(third_party_lz4 lz4)
egpu_import(third_party_crypto crypto ${CMAKE_DL_LIBS} Threads::Threads)

# The distribution ships fmt without a static archive: header-only then.
find_package(fmt REQUIRED)
add_library(third_party_fmt INTERFACE IMPORTED GLOBAL)
target_link_libraries(third_party_fmt INTERFACE $<IF:$<BOOL:${EGPU_STATIC}>,fmt::fmt-header-only,fmt::fmt>)

# egpu_link_llvm(<target> <component>...): libLLVM.so in development, static components in a release.
function(egpu_link_llvm target)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  if(EGPU_STATIC)
    llvm_map_components_to_libnames(libraries ${ARGN})
    target_link_libraries(${target} PRIVATE ${libraries})
  else()
    target_link_libraries(${target} PRIVATE LLVM)
  endif()
endfunction()

find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)

# Tests link fifty times what LLVM needs: mold does it in a twentieth of the time.
find_program(EGPU_MOLD NAMES mold)
if(EGPU_MOLD)
  add_link_options($<$<CONFIG:Debug>:-fuse-ld=mold>)
endif()

# Everything below is for building our own BPF and GPU code, never for the host binaries.
find_program(EGPU_CLANG NAMES clang-22 REQUIRED)
