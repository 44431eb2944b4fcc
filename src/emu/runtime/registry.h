// What a program's compiled-in start-up code registers: fat binaries, and by the address of a host
// symbol the kernels and variables in them. A fat binary becomes a library of the driver when
// something of it is first used.
#pragma once

#include <cstddef>
#include <string>

#include "emu/runtime/types.h"

namespace egpu::emu::runtime {

class FatBinary;

// The handle that generated code passes around.
FatBinary* add_fat_binary(const void* wrapper);
void remove_fat_binary(FatBinary* binary);
void add_function(FatBinary* binary, const void* host, std::string name);
void add_variable(FatBinary* binary, const void* host, std::string name, std::size_t bytes);
// `host` is where the program reads the variable's address.
void add_managed_variable(FatBinary* binary, void** host, std::string name);

// Loads the fat binary where it is not loaded, and tells the program where its managed variables
// are. Needs a context.
Error load(FatBinary* binary);

// The kernel behind a host function, or behind a kernel handle that the runtime gave out.
// kInvalidDeviceFunction: neither.
Error find_kernel(const void* function, cuda::Kernel& kernel);
// The same in the current context, for driver functions that take no kernel.
Error find_function(const void* function, cuda::Function& result);
// The host function behind a function of the current context; the function itself where a program
// loaded it from a library.
void* host_function(cuda::Function function);

struct Symbol {
  void* address = nullptr;
  std::size_t bytes = 0;
};
// kInvalidSymbol: no registered variable.
Error find_symbol(const void* host, Symbol& symbol);

// Where `bytes` bytes at `offset` of a variable are. kInvalidValue: not all in it.
Error find_part(const void* host, std::size_t bytes, std::size_t offset, void*& result);

// Kernels of libraries that the program loads itself may be launched as host functions are.
void add_kernel_handle(cuda::Kernel kernel);

}  // namespace egpu::emu::runtime
