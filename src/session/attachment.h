// Which programs fire in which kernels.
#pragma once

#include <string>
#include <string_view>

#include "bpf/object.h"

namespace egpu::session {

// Shell-style: * any run, ? any one character; everything else stands for itself. The whole name
// must match.
bool glob_matches(std::string_view pattern, std::string_view name);

// A kernel glob is tried on the mangled name, on the demangled one, and on that without template
// and call arguments and result type, so that "add" finds void add<float>(float*).
bool attaches_to(const bpf::AttachPoint& attach, const std::string& kernel,
                 const std::string& demangled);

}  // namespace egpu::session
