// From the image a process is about to load to the image it shall load instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "bpf/object.h"
#include "fatbin/fatbin.h"
#include "session/assembler.h"
#include "session/kernel_registry.h"
#include "session/module_cache.h"
#include "verifier/check.h"

namespace egpu::session {

// An object's programs, checked and generated once; every module is instrumented with these.
struct ProbeSet {
  bpf::Object object;
  std::vector<verifier::CheckedProgram> checked;  // of `object`
  std::string const_table_ptx;  // generated with the probe table in constant memory
};
Result<ProbeSet> build_probe_set(bpf::Object object);

// A replacement, or nothing and the original shall be loaded. `note` says why or what was done;
// empty where the module simply has no kernel that a program attaches to.
struct CompiledModule {
  std::optional<std::vector<std::byte>> replacement;  // cubin, or PTX text with its terminating NUL
  std::string note;
};

struct CompilerOptions {
  Assembler assembler;
  std::optional<ModuleCache> cache;
  bool emulated = false;  // for a driver that runs PTX and nothing else, as it is
};

// Thread-safe.
class ModuleCompiler {
 public:
  ModuleCompiler(ProbeSet probes, KernelRegistry& kernels, CompilerOptions options);

  // Never fails the load: every error is a note and the original.
  CompiledModule compile(Bytes image_untrusted, fatbin::ComputeCapability device);

  [[nodiscard]] const bpf::Object& object() const { return probes_.object; }

 private:
  Result<CompiledModule> try_compile(Bytes image_untrusted, fatbin::ComputeCapability device);

  // Generated with the probe table in global memory, for modules that fill their constants: made
  // when the first comes.
  const Result<std::string>& global_table_ptx();

  ProbeSet probes_;
  std::once_flag global_table_once_;
  Result<std::string> global_table_ptx_ = std::string();
  KernelRegistry& kernels_;
  CompilerOptions options_;
};

}  // namespace egpu::session
