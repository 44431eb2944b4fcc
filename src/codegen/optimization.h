#pragma once

#include <cstdint>

namespace egpu::codegen {

// Of programs that are compared with other engines.
enum class Optimization : std::uint8_t {
  kFull,
  kNone,  // every instruction is executed as it is written: constants are not folded
};

}  // namespace egpu::codegen
