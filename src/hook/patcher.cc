// Every function gets a page of its own for its stub and its copy of the prologue: the page is
// complete before it becomes executable and is never written again, so no page is ever writable and
// executable, and no thread can be in a page that changes. 4 KiB for each of two dozen functions is
// a fair price for that.
//
//   page + 0:    stub (undoes the prologue), jmp *0(%rip), address of the replacement
//   page + 64:   original (prologue and replaced instruction, relocated), jmp back
#include "hook/patcher.h"

#include <string.h>
#include <sys/mman.h>

#include "hook/near_page.h"
#include "hook/write_jump.h"

namespace egpu::hook {
namespace {

constexpr std::uintptr_t kOriginalOffset = 64;
constexpr std::uint8_t kJumpThroughNext[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp *0(%rip)
constexpr std::uint8_t kBreakpoint = 0xcc;
static_assert(sizeof(FunctionPlan::stub) + sizeof kJumpThroughNext + sizeof(void*) <=
              kOriginalOffset);
static_assert(kOriginalOffset + kMaxCode + kJumpSize <= kPageSize);

// The plan came from another process: nothing in it may lead outside its arrays.
bool is_well_formed(const FunctionPlan& plan) {
  if (plan.symbol[0] == '\0' || plan.reason[0] != '\0') return false;
  if (plan.patch_offset == 0 || plan.patch_offset > kMaxPatchOffset || plan.patch_size < kJumpSize)
    return false;
  if (plan.expected_size > sizeof plan.expected ||
      plan.expected_size != plan.patch_offset + plan.patch_size)
    return false;
  if ((plan.address + plan.patch_offset) % 16 + kJumpSize > 16) return false;
  if (plan.stub_size > sizeof plan.stub || plan.original_size > sizeof plan.original) return false;
  if (plan.fixup_count > kMaxFixups) return false;
  for (unsigned i = 0; i < plan.fixup_count; ++i) {
    const Fixup& fixup = plan.fixups[i];
    if (fixup.instruction_end > plan.original_size ||
        fixup.field_offset + 4 > fixup.instruction_end)
      return false;
  }
  return true;
}

// A uprobe's breakpoint in place of the first byte is fine: neither it nor anything else of the
// memory is copied.
bool is_as_expected(const FunctionPlan& plan, const std::uint8_t* function) {
  return (function[0] == plan.expected[0] || function[0] == kBreakpoint) &&
         memcmp(function + 1, plan.expected + 1, plan.expected_size - 1u) == 0;
}

std::uintptr_t target_of(const Fixup& fixup, std::uintptr_t load_bias) {
  return load_bias + static_cast<std::uintptr_t>(fixup.target);
}

// From such a page a 32-bit distance reaches the function and all that its prologue refers to.
AddressRange reachable_from_all(const FunctionPlan& plan, std::uintptr_t load_bias) {
  constexpr std::uintptr_t kReach = (std::uintptr_t{1} << 31) - 2 * kPageSize;
  constexpr std::uintptr_t kLowest = 1 << 20;
  AddressRange range{kLowest, ~std::uintptr_t{0}};
  const auto narrow = [&](std::uintptr_t address) {
    if (address > kReach && address - kReach > range.low) range.low = address - kReach;
    if (address < ~kReach && address + kReach < range.high) range.high = address + kReach;
  };
  narrow(load_bias + plan.address);
  for (unsigned i = 0; i < plan.fixup_count; ++i) narrow(target_of(plan.fixups[i], load_bias));
  return range;
}

void write_distance(std::uint8_t* field, const std::uint8_t* instruction_end,
                    std::uintptr_t target) {
  const auto distance =
      static_cast<std::int32_t>(target - reinterpret_cast<std::uintptr_t>(instruction_end));
  memcpy(field, &distance, sizeof distance);
}

void write_stub(const FunctionPlan& plan, std::uintptr_t replacement, std::uint8_t* stub) {
  memcpy(stub, plan.stub, plan.stub_size);
  stub += plan.stub_size;
  memcpy(stub, kJumpThroughNext, sizeof kJumpThroughNext);
  memcpy(stub + sizeof kJumpThroughNext, &replacement, sizeof replacement);
}

void write_original(const FunctionPlan& plan, std::uintptr_t load_bias, std::uint8_t* original) {
  memcpy(original, plan.original, plan.original_size);
  for (unsigned i = 0; i < plan.fixup_count; ++i) {
    const Fixup& fixup = plan.fixups[i];
    write_distance(original + fixup.field_offset, original + fixup.instruction_end,
                   target_of(fixup, load_bias));
  }
  std::uint8_t* const jump = original + plan.original_size;
  *jump = 0xe9;
  write_distance(jump + 1, jump + kJumpSize, load_bias + plan.address + plan.expected_size);
}

}  // namespace

const char* to_string(PatchStatus status) {
  switch (status) {
    case PatchStatus::kDone:
      return "hooked";
    case PatchStatus::kDeclined:
      return "the plan declines the function";
    case PatchStatus::kMismatch:
      return "the function in memory is not the one in the library's file";
    case PatchStatus::kNoMemory:
      return "no free memory within 2 GiB of the function";
    case PatchStatus::kProtected:
      return "the system does not let code be changed";
  }
  return "unknown";
}

PatchStatus patch(const FunctionPlan& plan, std::uintptr_t load_bias, void* replacement,
                  void** original) {
  if (!is_well_formed(plan)) return PatchStatus::kDeclined;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  auto* const function = reinterpret_cast<std::uint8_t*>(load_bias + plan.address);
  if (!is_as_expected(plan, function)) return PatchStatus::kMismatch;

  auto* const page = static_cast<std::uint8_t*>(
      map_page_near(load_bias + plan.address, reachable_from_all(plan, load_bias)));
  if (page == nullptr) return PatchStatus::kNoMemory;
  write_stub(plan, reinterpret_cast<std::uintptr_t>(replacement), page);
  write_original(plan, load_bias, page + kOriginalOffset);
  if (mprotect(page, kPageSize, PROT_READ | PROT_EXEC) != 0) {
    munmap(page, kPageSize);
    return PatchStatus::kProtected;
  }

  // From the jump on, any thread may be in the hook and needs the original. If the jump is refused
  // the page stays: a thread may have been quick.
  __atomic_store_n(original, page + kOriginalOffset, __ATOMIC_RELEASE);
  switch (write_jump(function + plan.patch_offset, plan.expected + plan.patch_offset, page)) {
    case WriteResult::kDone:
      return PatchStatus::kDone;
    case WriteResult::kChanged:
      return PatchStatus::kMismatch;
    case WriteResult::kProtected:
      return PatchStatus::kProtected;
  }
  return PatchStatus::kProtected;
}

}  // namespace egpu::hook
