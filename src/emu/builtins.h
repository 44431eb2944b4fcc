// Device functions that the machine provides, not the module: printf, assert, malloc, free.
#pragma once

#include <span>
#include <string_view>

#include "emu/op.h"

namespace egpu::emu {

struct Builtin {
  std::string_view name;
  std::span<const unsigned> parameters;  // bytes of each
  unsigned result = 0;                   // bytes; 0: none
  Handler handler = nullptr;             // Op::extra: the CallSite
};

// Null where there is none of this name.
const Builtin* find_builtin(std::string_view name);

}  // namespace egpu::emu
