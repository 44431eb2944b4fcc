#include "inject/install_hooks.h"

#include <cstring>
#include <string_view>

#include "abi/hooked_functions.h"
#include "hook/patcher.h"
#include "inject/hooks.h"
#include "inject/report.h"
#include "inject/session.h"

namespace egpu::inject {
namespace {

constexpr std::string_view kTableOrder[] = {
#define EGPU_NAME(member, name, ...) name,
    EGPU_HOOKED_FUNCTIONS(EGPU_NAME)
#undef EGPU_NAME
};

constexpr bool same_order() {
  if (std::size(kTableOrder) != abi::kHookedFunctionCount) return false;
  for (std::size_t i = 0; i < abi::kHookedFunctionCount; ++i)
    if (kTableOrder[i] != abi::kHookedFunctions[i]) return false;
  return true;
}
static_assert(same_order(), "EGPU_HOOKED_FUNCTIONS and abi::kHookedFunctions differ");

// Without these a handle could outlive what is known about it, and a launch run another kernel's
// twin. All others may stay unhooked: what goes through them is merely not instrumented.
constexpr std::string_view kEssential[] = {
    "cuLibraryUnload",
    "cuLibraryGetKernel",
    "cuKernelGetFunction",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuCtxDestroy_v2",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxReset_v2",
};

bool is_essential(std::string_view name) {
  for (const std::string_view essential : kEssential)
    if (name == essential) return true;
  return false;
}

struct Target {
  void* replacement;
  void** original;  // in session.driver
};

Target target(std::size_t index) {
  const Target targets[] = {
#define EGPU_TARGET(member, name, ...) \
  {reinterpret_cast<void*>(hooks::member), reinterpret_cast<void**>(&session.driver.member)},
      EGPU_HOOKED_FUNCTIONS(EGPU_TARGET)
#undef EGPU_TARGET
  };
  return targets[index];
}

bool is_for(const hook::FunctionPlan& plan, const char* name) {
  return std::strncmp(plan.symbol, name, sizeof plan.symbol) == 0 && plan.reason[0] == '\0';
}

bool install(const hook::FunctionPlan& plan, std::size_t index, std::uintptr_t load_bias) {
  const char* name = abi::kHookedFunctions[index];
  const int reason_bytes = static_cast<int>(sizeof plan.reason);
  if (!is_for(plan, name)) {
    report("%s is not hooked: %.*s", name, reason_bytes, plan.reason);
    return false;
  }
  const Target where = target(index);
  const hook::PatchStatus status = hook::patch(plan, load_bias, where.replacement, where.original);
  if (status == hook::PatchStatus::kDone) return true;
  report("%s is not hooked: %s", name, hook::to_string(status));
  return false;
}

}  // namespace

bool install_hooks(const hook::FunctionPlan* plans, std::uintptr_t load_bias) {
  for (std::size_t i = 0; i < abi::kHookedFunctionCount; ++i) {
    if (is_essential(kTableOrder[i]) && !install(plans[i], i, load_bias)) {
      report("nothing is instrumented: %s is needed to do it safely", abi::kHookedFunctions[i]);
      return false;
    }
  }
  for (std::size_t i = 0; i < abi::kHookedFunctionCount; ++i) {
    const bool exists = *target(i).original != nullptr;  // else nobody calls it
    if (exists && !is_essential(kTableOrder[i])) install(plans[i], i, load_bias);
  }
  return true;
}

}  // namespace egpu::inject
