// Foreign bytes as a library and, since few random bytes are one, as the code of a function of a
// well-formed library.
#include <cstdint>
#include <cstdlib>

#include "hook/planner.h"
#include "hook/testdata/elf_image.h"

namespace {

using egpu::Bytes;
using egpu::hook::FunctionPlan;

void check(bool holds) {
  if (!holds) std::abort();
}

// What the patcher relies on.
void check_plan(const FunctionPlan& plan) {
  check((plan.reason[0] == '\0') == (plan.symbol[0] != '\0'));
  if (plan.reason[0] != '\0') return;
  check(plan.patch_offset > 0 && plan.patch_offset <= egpu::hook::kMaxPatchOffset &&
        plan.patch_size >= 5);
  check(plan.expected_size == plan.patch_offset + plan.patch_size &&
        plan.expected_size <= sizeof plan.expected);
  check((plan.address + plan.patch_offset) % 16 + 5 <= 16);
  check(plan.stub_size <= sizeof plan.stub && plan.original_size == plan.expected_size);
  check(plan.fixup_count <= 1);
  if (plan.fixup_count == 0) return;
  check(plan.fixups[0].field_offset > plan.patch_offset);
  check(plan.fixups[0].field_offset + 4 <= plan.fixups[0].instruction_end);
}

void plan(Bytes file) {
  const auto plans =
      egpu::hook::plan_hooks(file, {"sum_driver", "sum_load", "no_such_function", "sum_driver"});
  if (!plans) return;
  check(plans->size() == 4);
  for (const auto& each : *plans) check_plan(each);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  plan(bytes);
  plan(egpu::hook::build_library({{"sum_driver", bytes}}));
  return 0;
}
