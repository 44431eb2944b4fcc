// Section names -> attach points.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "bpf/object.h"

namespace egpu::bpf {
namespace {

struct Point {
  std::string_view name;
  AttachEvent event;
  Granularity granularity;
};
constexpr Point kPoints[] = {
    {"gpu/entry", AttachEvent::kEntry, Granularity::kThread},
    {"gpu/exit", AttachEvent::kExit, Granularity::kThread},
    {"gpu.warp/entry", AttachEvent::kEntry, Granularity::kWarp},
    {"gpu.warp/exit", AttachEvent::kExit, Granularity::kWarp},
    {"gpu.block/entry", AttachEvent::kEntry, Granularity::kBlock},
    {"gpu.block/exit", AttachEvent::kExit, Granularity::kBlock},
};
constexpr const char* kPointsHint =
    "supported: SEC(\"gpu/entry:KERNEL[,KERNEL...]\") and the same with gpu/exit, gpu.warp/entry, "
    "gpu.warp/exit, gpu.block/entry, gpu.block/exit";
constexpr const char* kOptionsHint =
    "supported: SEC(\"gpu/entry:KERNEL;sample=1/N\") with N from 1 on: one block of N";

Error refuse(std::string_view section, std::string why, std::string remedy) {
  return input_error(std::move(why)).at(fmt::format("section {}", section)).hint(std::move(remedy));
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Splits at commas that are not inside (), <> or []: demangled names hold such commas.
std::vector<std::string> split_kernels(std::string_view list) {
  std::vector<std::string> kernels;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '<' || c == '[') ++depth;
    if ((c == ')' || c == '>' || c == ']') && depth > 0) --depth;
    if (i == list.size() || (c == ',' && depth == 0)) {
      kernels.emplace_back(trim(list.substr(start, i - start)));
      start = i + 1;
    }
  }
  return kernels;
}

// N of "sample=1/N"; nothing where it is none.
std::optional<std::uint32_t> parse_sample(std::string_view option) {
  constexpr std::string_view kStart = "sample=1/";
  if (!option.starts_with(kStart)) return std::nullopt;
  option.remove_prefix(kStart.size());
  std::uint32_t number = 0;
  const auto [end, status] = std::from_chars(option.data(), option.data() + option.size(), number);
  if (status != std::errc{} || end != option.data() + option.size() || number == 0)
    return std::nullopt;
  return number;
}

}  // namespace

Result<AttachPoint> parse_attach_point(std::string_view section) {
  const std::size_t colon = section.find(':');
  const std::string_view name = section.substr(0, colon);
  const Point* const point = std::ranges::find(kPoints, name, &Point::name);
  if (point == std::end(kPoints)) {
    return refuse(section, fmt::format("attach point \"{}\" is not supported", name), kPointsHint);
  }
  if (colon == std::string_view::npos) {
    return refuse(section, "the section does not say which kernels to probe",
                  fmt::format("write SEC(\"{}:*\") for all kernels", name));
  }
  std::string_view list = section.substr(colon + 1);
  AttachPoint attach{.event = point->event, .granularity = point->granularity, .kernels = {}};
  if (const std::size_t semicolon = list.find(';'); semicolon != std::string_view::npos) {
    const std::string_view option = trim(list.substr(semicolon + 1));
    const auto sample = parse_sample(option);
    if (!sample) {
      return refuse(section, fmt::format("option \"{}\" is not supported", option), kOptionsHint);
    }
    attach.sample = *sample;
    list = list.substr(0, semicolon);
  }
  attach.kernels = split_kernels(list);
  if (std::ranges::any_of(attach.kernels, &std::string::empty)) {
    return refuse(section, "a kernel name is empty",
                  fmt::format("write SEC(\"{}:*\") for all kernels", name));
  }
  return attach;
}

}  // namespace egpu::bpf
