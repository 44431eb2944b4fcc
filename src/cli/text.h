// Small pieces of readable text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace egpu::cli {

// "512 B", "2.1 MiB".
std::string format_bytes(std::uint64_t bytes);

// "1 map", "3 maps".
std::string counted(std::uint64_t count, std::string_view noun);

// "1.5 s", "20 ms".
std::string format_duration_ns(std::uint64_t nanoseconds);

// `text` broken at spaces so that no line passes column `width`. The first line is to be printed at
// column `indent`, the others begin with as many spaces. Without a width: the text as it is.
std::string wrap(std::string_view text, std::optional<std::size_t> width, std::size_t indent);

// The document with its line end; text that is no UTF-8 gets replacement characters.
std::string json_text(const nlohmann::ordered_json& document);
// The same in one line.
std::string json_line(const nlohmann::ordered_json& document);

}  // namespace egpu::cli
