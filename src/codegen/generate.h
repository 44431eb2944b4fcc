// Checked eBPF programs -> LLVM IR -> optimised PTX.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bpf/object.h"
#include "verifier/check.h"

namespace egpu::codegen {

// Where the probe table lives: constant memory, or global where the application fills its 64 KiB.
enum class TableSpace { kConst, kGlobal };

struct GenerateOptions {
  TableSpace table_space = TableSpace::kConst;
};

// A PTX module for sm_70, to be spliced: one `.func` for each program, in the given order, called
// probe_function_name(i), with two .b32 parameters (kernel id, site id) and no result; the `.func`s
// that those call, egpu_function_PROGRAM_FUNCTION; the definition of the probe table
// (abi/probe_table.h); and constants, egpu_read_only_SECTION in .global.
struct GeneratedModule {
  std::string ptx;
  std::string llvm_ir;  // after optimisation, for `egpu ptx --ir` and tests
};

std::string probe_function_name(std::size_t program);

// Deterministic: same input, same bytes. Thread-safe. All programs are of `object` and share its
// maps.
Result<GeneratedModule> generate(const bpf::Object& object,
                                 const std::vector<verifier::CheckedProgram>& programs,
                                 const GenerateOptions& options = {});

}  // namespace egpu::codegen
