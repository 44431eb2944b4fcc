// What ends a launch early.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace egpu::emu {

// Each stands for the driver error that the same fault gives on a GPU (src/emu/driver maps them).
enum class FaultKind : std::uint8_t {
  kIllegalAddress,
  kMisalignedAddress,
  kInvalidAddressSpace,  // generic address of a space the instruction cannot use
  kIllegalInstruction,
  kInvalidPc,      // call through a pointer to no function
  kStackOverflow,  // local memory exhausted by calls
  kTrap,           // trap
  kAssert,         // __assertfail
  kTimeout,        // the launch's instruction budget is spent
  kDeadlock,       // every thread of a block waits at a barrier that nobody can complete
};

struct Fault {
  FaultKind kind = FaultKind::kTrap;
  std::string kernel = {};
  std::array<std::uint32_t, 3> block{};   // %ctaid
  std::array<std::uint32_t, 3> thread{};  // %tid
  std::string place = {};                 // "app.ptx:12:3" of the instruction
  std::string detail = {};                // "address 0x7f0000001000, 4 bytes"
};

// "vec_add, block (3,0,0), thread (17,0,0), app.ptx:12:3: illegal address 0x..., 4 bytes"
std::string to_string(const Fault& fault);

}  // namespace egpu::emu
