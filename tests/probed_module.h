// For tests: PTX with probes in the executor, on the way that `egpu run` takes: instrument(),
// printer and parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "emu/memory.h"
#include "emu/module.h"

namespace egpu {

// PTX of `application` in which every kernel has a twin with all programs of the object, whatever
// kernels they name. `probes`: of codegen::generate(), for these programs.
Result<std::string> add_probes(std::string_view application, std::string_view probes,
                               const bpf::Object& object);

// A loaded module with its maps, which begin as their definitions say.
class ProbedModule {
 public:
  // `ptx`: of add_probes(). `memory` must outlive the result. `shards`: of PERCPU maps.
  static Result<ProbedModule> load(std::string_view ptx, const bpf::Object& object,
                                   emu::Memory& memory, std::uint32_t shards = 1);

  // The twin of a kernel. Owned by the module.
  Result<const emu::Kernel*> kernel(std::string_view name) const;
  std::span<std::byte> map(std::size_t index) const { return maps_[index]; }

 private:
  std::unique_ptr<emu::Module> module_;
  std::vector<std::span<std::byte>> maps_;
};

}  // namespace egpu
