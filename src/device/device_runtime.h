// The GPU runtime that generated code calls, as LLVM bitcode for nvptx64 (sources: *.c here).
//
// The contract with src/codegen: functions called egpu_*, found by name; addresses of map memory
// travel as 64-bit numbers.
#pragma once

#include "base/bytes.h"

namespace egpu::device {

// Part of the binary; lives as long as the process.
Bytes device_runtime_bitcode();

}  // namespace egpu::device
