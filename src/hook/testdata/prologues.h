// The library of testdata/prologues.S in the tests: copies of it, loaded, with their hook plans.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <stdlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "hook/patcher.h"
#include "hook/planner.h"

namespace egpu::hook {

// The signature of the functions named sum_*, what the tests pass to them, and what they then
// return.
using Sum = std::uint64_t (*)(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                              std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                              std::uint64_t, std::uint64_t, std::uint64_t);
inline constexpr std::uint64_t kSumResult = 100 + 506;  // 1*1 + 2*2 + ... + 11*11
inline std::uint64_t call_sum(Sum function) { return function(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11); }

// All functions named sum_*, and where their jump goes.
struct SumFunction {
  const char* name;
  unsigned patch_offset;
};
inline constexpr SumFunction kSumFunctions[] = {
    {"sum_driver", 0xa},
    {"sum_many_pushes", 0x15},
    {"sum_big_frame", 8},
    {"sum_lea", 8},
    {"sum_load", 3},
    {"sum_compare_byte", 3},
    {"sum_compare_word", 3},
    {"sum_nop", 1},
    {"sum_jump", 4},
    {"sum_saved_argument", 8},
    {"sum_conditional_jump", 5},
    {"sum_jump_through_memory", 4},
};

// A loaded copy of its own: nothing in it is hooked yet. It is unloaded and deleted with the
// object.
class LoadedCopy {
 public:
  LoadedCopy()
      : path_((std::filesystem::temp_directory_path() / "hook_prologues.XXXXXX").string()) {
    close(mkstemp(path_.data()));
    std::filesystem::copy_file(HOOK_PROLOGUES, path_,
                               std::filesystem::copy_options::overwrite_existing);
    handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) ADD_FAILURE() << dlerror();
  }
  LoadedCopy(const LoadedCopy&) = delete;
  LoadedCopy& operator=(const LoadedCopy&) = delete;
  ~LoadedCopy() {
    if (handle_ != nullptr) dlclose(handle_);
    std::filesystem::remove(path_);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  template <class Function>
  [[nodiscard]] Function get(const char* name) const {
    return reinterpret_cast<Function>(dlsym(handle_, name));
  }

  [[nodiscard]] std::uintptr_t load_bias() const {
    link_map* map = nullptr;
    dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&map));
    return map->l_addr;
  }

  template <class Function>
  PatchStatus hook(const FunctionPlan& plan, Function replacement, Function* original) const {
    return patch(plan, load_bias(), reinterpret_cast<void*>(replacement),
                 reinterpret_cast<void**>(original));
  }

 private:
  std::string path_;
  void* handle_ = nullptr;
};

inline std::vector<std::byte> prologues_file() { return read_file(HOOK_PROLOGUES).value(); }

inline FunctionPlan plan_of(std::string_view name) {
  return plan_hooks(prologues_file(), {name}).value().front();
}

}  // namespace egpu::hook
