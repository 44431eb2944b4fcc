#include "ptx/registers.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace egpu::ptx {
namespace {

// PTX ISA, chapter "Special Registers". Sorted.
constexpr std::array kSpecialRegisters = std::to_array<std::string_view>({
    "%aggr_smem_size",
    "%clock",
    "%clock64",
    "%clock_hi",
    "%cluster_ctaid",
    "%cluster_ctarank",
    "%cluster_nctaid",
    "%cluster_nctarank",
    "%clusterid",
    "%ctaid",
    "%current_graph_exec",
    "%dynamic_smem_size",
    "%globaltimer",
    "%globaltimer_hi",
    "%globaltimer_lo",
    "%gridid",
    "%is_explicit_cluster",
    "%laneid",
    "%lanemask_eq",
    "%lanemask_ge",
    "%lanemask_gt",
    "%lanemask_le",
    "%lanemask_lt",
    "%nclusterid",
    "%nctaid",
    "%nsmid",
    "%ntid",
    "%nwarpid",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_end",
    "%smid",
    "%tid",
    "%total_smem_size",
    "%warpid",
});
static_assert(std::ranges::is_sorted(kSpecialRegisters));

// Families with a number: %envreg0 to %envreg31, %pm0 to %pm7 with %pm0_64,
// %reserved_smem_offset_0.
constexpr std::string_view kNumberedFamilies[] = {"%envreg", "%pm", "%reserved_smem_offset_"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `digits` as the number of a register in name<count>: no leading zero, below the count.
bool in_range(std::string_view digits, std::uint64_t count) {
  if (digits.size() > 1 && digits.front() == '0') return false;
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return parsed.ec == std::errc{} && number < count;
}

}  // namespace

bool is_special_register(std::string_view name) {
  name = name.substr(0, name.find('.'));
  if (std::ranges::binary_search(kSpecialRegisters, name)) return true;
  return std::ranges::any_of(kNumberedFamilies, [name](std::string_view family) {
    return name.size() > family.size() && name.starts_with(family) && is_digit(name[family.size()]);
  });
}

void RegisterScopes::leave() {
  for (; declared_.size() > scopes_.back(); declared_.pop_back()) {
    const auto found = counts_.find(declared_.back());
    found->second.pop_back();
    if (found->second.empty()) counts_.erase(found);
  }
  scopes_.pop_back();
}

void RegisterScopes::declare(std::string_view name, std::uint64_t count) {
  counts_[name].push_back(count);
  declared_.push_back(name);
}

bool RegisterScopes::contains(std::string_view name) const {
  name = name.substr(0, name.find('.'));
  const auto whole = counts_.find(name);
  if (whole != counts_.end() && whole->second.back() == 0) return true;
  // t12 may be t<13> or t1<3>.
  constexpr std::size_t kMostDigits = 10;
  for (std::size_t digits = 1; digits < name.size() && digits <= kMostDigits; ++digits) {
    const std::size_t stem = name.size() - digits;
    if (!is_digit(name[stem])) return false;
    const auto found = counts_.find(name.substr(0, stem));
    if (found != counts_.end() && in_range(name.substr(stem), found->second.back())) return true;
  }
  return false;
}

}  // namespace egpu::ptx
