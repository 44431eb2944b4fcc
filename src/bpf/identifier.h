// Which names of symbols egpu takes over into messages and generated code.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace egpu::bpf {

inline bool is_identifier(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '$';
  });
}

}  // namespace egpu::bpf
