// The format strings of bpf_trace_printk.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace egpu::codegen {

// `format` with its conversions replaced by `values`, in order: %d %i %u %x, %ld %li %lu %lx, %lld
// %lli %llu %llx, %p, %c and %%. Nothing where it holds another conversion, such as %s, which would
// read memory, or more than three.
std::optional<std::string> format_trace(std::string_view format,
                                        const std::array<std::uint64_t, 3>& values);

}  // namespace egpu::codegen
