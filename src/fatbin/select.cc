// Which member the driver runs, and which PTX is its source.

#include <algorithm>
#include <optional>
#include <tuple>

#include "fatbin/cubin.h"
#include "fatbin/fatbin.h"

namespace egpu::fatbin {
namespace {

// 'a' runs on exactly its architecture, 'f' on its major from its minor on.
// Source: CUDA C++ Programming Guide, "Architecture-Specific Features" and "Family-Specific
// Features".
bool same_family(const Member& member, std::uint32_t device) {
  if (member.suffix == 'a') return member.architecture == device;
  return member.architecture / 10 == device / 10 && member.architecture <= device;
}

bool runs_on(const Member& member, std::uint32_t device) {
  switch (member.kind) {
    case MemberKind::kCubin:
      return same_family(member, device);
    case MemberKind::kPtx:
      return member.suffix == '\0' ? member.architecture <= device : same_family(member, device);
    case MemberKind::kOther:
      return false;
  }
  return false;
}

// Compares greater for the member that is preferred.
auto preference(const Member& member) {
  const int specific = member.suffix == 'a' ? 2 : member.suffix == 'f' ? 1 : 0;
  return std::tuple(member.kind == MemberKind::kCubin, member.architecture, specific);
}

std::optional<std::uint32_t> source_architecture(const Member& cubin) {
  const auto content = decompress(cubin);
  if (!content) return std::nullopt;
  const auto architecture = virtual_architecture(*content);
  return architecture ? std::optional(*architecture) : std::nullopt;
}

bool usable_ptx(const Member& member) {
  return member.kind == MemberKind::kPtx && !member.unsupported;
}

// Of the members that run on the device.
template <class Predicate>
const Member* preferred(const Image& image, ComputeCapability device, Predicate predicate) {
  const Member* best = nullptr;
  for (const Member& member : image.members) {
    if (!runs_on(member, device.major * 10 + device.minor) || !predicate(member)) continue;
    if (best == nullptr || preference(member) > preference(*best)) best = &member;
  }
  return best;
}

}  // namespace

const Member* member_for(const Image& image, ComputeCapability device) {
  return preferred(image, device, [](const Member&) { return true; });
}

const Member* ptx_for(const Image& image, const Member& chosen) {
  if (chosen.kind == MemberKind::kPtx) return usable_ptx(chosen) ? &chosen : nullptr;
  if (chosen.kind != MemberKind::kCubin || std::ranges::none_of(image.members, usable_ptx))
    return nullptr;
  const auto source = source_architecture(chosen);
  if (!source) return nullptr;
  for (const Member& member : image.members)
    if (usable_ptx(member) && member.architecture == *source && member.suffix == chosen.suffix)
      return &member;
  return nullptr;
}

const Member* ptx_member_for(const Image& image, ComputeCapability device) {
  const Member* chosen = member_for(image, device);
  const Member* source = chosen != nullptr ? ptx_for(image, *chosen) : nullptr;
  return source != nullptr ? source : preferred(image, device, usable_ptx);
}

}  // namespace egpu::fatbin
