// A kernel that is ready to run: its code and that of all functions it may call.
#pragma once

#include <memory>
#include <vector>

#include "emu/code.h"
#include "emu/module.h"

namespace egpu::emu {

class Kernel {
 public:
  KernelInfo info;
  std::vector<std::unique_ptr<Code>> functions;  // the kernel itself first
  std::vector<const Code*> by_index;  // what function pointers mean (emu/symbols.h); null: nothing
  std::shared_ptr<const ptx::Module> source;

  const Code& code() const { return *functions.front(); }
};

}  // namespace egpu::emu
