#include "emu/fault.h"

#include <fmt/format.h>

namespace egpu::emu {
namespace {

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIllegalAddress:
      return "illegal address";
    case FaultKind::kMisalignedAddress:
      return "misaligned address";
    case FaultKind::kInvalidAddressSpace:
      return "address of a wrong space";
    case FaultKind::kIllegalInstruction:
      return "illegal instruction";
    case FaultKind::kInvalidPc:
      return "call of what is no function";
    case FaultKind::kStackOverflow:
      return "stack overflow";
    case FaultKind::kTrap:
      return "trap";
    case FaultKind::kAssert:
      return "assertion failed";
    case FaultKind::kTimeout:
      return "out of time";
    case FaultKind::kDeadlock:
      return "deadlock";
  }
  return "fault";
}

}  // namespace

std::string to_string(const Fault& fault) {
  std::string text = fmt::format("{}, block ({},{},{}), thread ({},{},{})", fault.kernel,
                                 fault.block[0], fault.block[1], fault.block[2], fault.thread[0],
                                 fault.thread[1], fault.thread[2]);
  if (!fault.place.empty()) text += ", " + fault.place;
  text += fmt::format(": {}", name_of(fault.kind));
  if (!fault.detail.empty()) text += ": " + fault.detail;
  return text;
}

}  // namespace egpu::emu
