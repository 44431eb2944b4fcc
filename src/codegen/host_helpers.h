// Helpers and externs as functions of this program, for generated code that runs on the host.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "verifier/helpers.h"

namespace egpu::codegen {

// Gets each line of bpf_trace_printk.
using TraceSink = std::function<void(std::string_view line)>;

struct HostHelper {
  verifier::HelperId id;
  const char* name;  // as generated code calls it
  const void* address;
  unsigned arguments;  // 64-bit numbers from r1 on; the result is one too
  bool traces;         // before them: the address of a TraceSink
};

// All but those that take a map or call back.
std::span<const HostHelper> host_helpers();

}  // namespace egpu::codegen
