// A loaded PTX module: its variables have addresses, its kernels can be launched.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emu/memory.h"
#include "ptx/ast.h"

namespace egpu::emu {

struct Parameter {
  std::uint32_t offset = 0;  // in the launch's parameter bytes
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
};

// What launches of a kernel need and are limited by; 0 or empty where the PTX does not say.
struct KernelInfo {
  std::string name;
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;  // of each thread, without calls
  std::uint32_t registers = 0;    // of each thread: an estimate, 32-bit registers, 255 at most
  std::uint32_t max_threads = 0;  // of a block (.maxntid), 0: the device's limit
  std::uint32_t required_threads[3] = {};  // .reqntid
  std::uint32_t cluster[3] = {};           // .reqnctapercluster
};

struct Variable {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

class Kernel;

// Immutable once loaded, but for the contents of its variables. Thread-safe.
class Module {
 public:
  // Allocates and fills variables in `memory`, which must outlive the module. Code is translated
  // when a kernel is first asked for.
  static Result<std::unique_ptr<Module>> load(const ptx::Module& ptx, Memory& memory);
  virtual ~Module() = default;

  virtual std::vector<std::string> kernel_names() const = 0;
  virtual const KernelInfo* info(std::string_view kernel) const = 0;  // null: no such kernel
  // Fails, naming instruction and line, where the executor does not know something the kernel or a
  // function it may call uses. Owned by the module.
  virtual Result<const Kernel*> kernel(std::string_view name) = 0;
  // A .global or .const variable; null: none of that name.
  virtual const Variable* variable(std::string_view name) const = 0;
};

}  // namespace egpu::emu
