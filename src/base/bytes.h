// Bounded reads from foreign bytes. A read past the end is an Error, never undefined behaviour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace egpu {

using Bytes = std::span<const std::byte>;

inline Bytes as_bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The little-endian value at `offset`, or nothing where it does not fit. T: trivially copyable.
template <class T>
std::optional<T> read_at(Bytes bytes, std::uint64_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// `size` bytes from `offset`, or nothing where they do not fit.
inline std::optional<Bytes> slice(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  return bytes.subspan(offset, size);
}

// The NUL-terminated string at `offset`, or nothing where it does not end inside `bytes`.
inline std::optional<std::string_view> c_string_at(Bytes bytes, std::uint64_t offset) {
  if (offset >= bytes.size()) return std::nullopt;
  const std::string_view rest = as_text(bytes.subspan(offset));
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

}  // namespace egpu
