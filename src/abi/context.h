// The fields of `struct egpu_ctx` (include/egpu/egpu.bpf.h), for those who do not compile that C
// header: the checker, which admits loads of these fields alone, and the code generator, which
// turns each into a special register or a parameter. A test of src/bpf compares this table with the
// BTF that clang writes for the header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace egpu::abi {

// In the order of the struct; every field is an unsigned 32-bit number.
enum class ContextField : std::uint8_t {
  kThreadIdxX,
  kThreadIdxY,
  kThreadIdxZ,
  kBlockIdxX,
  kBlockIdxY,
  kBlockIdxZ,
  kBlockDimX,
  kBlockDimY,
  kBlockDimZ,
  kGridDimX,
  kGridDimY,
  kGridDimZ,
  kLaneId,
  kWarpId,
  kSmId,
  kKernelId,
  kSiteId,
  kActiveMask,
  kWeight,
};

// Indexed by ContextField.
inline constexpr const char* kContextFieldNames[] = {
    "thread_idx.x", "thread_idx.y", "thread_idx.z", "block_idx.x", "block_idx.y",
    "block_idx.z",  "block_dim.x",  "block_dim.y",  "block_dim.z", "grid_dim.x",
    "grid_dim.y",   "grid_dim.z",   "lane_id",      "warp_id",     "sm_id",
    "kernel_id",    "site_id",      "active_mask",  "weight",
};
inline constexpr std::size_t kContextFieldCount =
    sizeof(kContextFieldNames) / sizeof(kContextFieldNames[0]);
static_assert(kContextFieldCount == static_cast<std::size_t>(ContextField::kWeight) + 1);

inline constexpr std::uint32_t kContextFieldBytes = 4;
inline constexpr std::uint32_t kContextBytes = kContextFieldBytes * kContextFieldCount;

constexpr std::uint32_t context_offset(ContextField field) {
  return kContextFieldBytes * static_cast<std::uint32_t>(field);
}

// The field that starts at byte `offset` of struct egpu_ctx, or nothing.
constexpr std::optional<ContextField> context_field_at(std::int64_t offset) {
  if (offset < 0 || offset >= kContextBytes || offset % kContextFieldBytes != 0)
    return std::nullopt;
  return static_cast<ContextField>(offset / kContextFieldBytes);
}

constexpr const char* context_field_name(ContextField field) {
  return kContextFieldNames[static_cast<std::size_t>(field)];
}

}  // namespace egpu::abi
