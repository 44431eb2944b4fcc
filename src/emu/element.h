// Elements between memory and registers of at least their width.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emu/atomic_access.h"
#include "emu/load_store.h"

namespace egpu::emu {

// An element of memory, M, as a register R holds it.
template <class M, class R>
R widened(M element) {
  if constexpr (std::is_same_v<M, R>) {
    return element;
  } else if constexpr (std::is_signed_v<M>) {
    return static_cast<R>(std::int64_t{element});
  } else {
    return static_cast<R>(element);
  }
}
template <class M, class R>
M narrowed(R value) {
  if constexpr (std::is_same_v<M, R>) {
    return value;
  } else {
    return static_cast<M>(value);
  }
}

// Calls f.template operator()<M, R>() for the types of the shape, which returns a pointer to a
// function; null for a shape that does not exist.
template <class F>
auto for_shape(ElementShape shape, F&& f) {
  using Result = decltype(f.template operator()<Wide, Wide>());
  const auto with_register = [&]<class M>() -> Result {
    switch (shape.register_bits) {
      case 16:
        if constexpr (sizeof(M) <= 2) return f.template operator()<M, std::uint16_t>();
        break;
      case 32:
        if constexpr (sizeof(M) <= 4) return f.template operator()<M, std::uint32_t>();
        break;
      case 64:
        if constexpr (sizeof(M) <= 8) return f.template operator()<M, std::uint64_t>();
        break;
      case 128:
        if constexpr (sizeof(M) == 16) return f.template operator()<M, M>();
        break;
      default:
        break;
    }
    return nullptr;
  };
  const bool extends = shape.is_signed && shape.register_bits > shape.memory_bits;
  switch (shape.memory_bits) {
    case 8:
      return extends ? with_register.template operator()<std::int8_t>()
                     : with_register.template operator()<std::uint8_t>();
    case 16:
      return extends ? with_register.template operator()<std::int16_t>()
                     : with_register.template operator()<std::uint16_t>();
    case 32:
      return extends ? with_register.template operator()<std::int32_t>()
                     : with_register.template operator()<std::uint32_t>();
    case 64:
      return with_register.template operator()<std::uint64_t>();
    case 128:
      return with_register.template operator()<Wide>();
    default:
      return Result{nullptr};
  }
}

}  // namespace egpu::emu
