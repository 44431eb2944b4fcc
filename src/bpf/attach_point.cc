// Section names -> attach points.
#include <fmt/format.h>

#include <algorithm>

#include "bpf/object.h"

namespace egpu::bpf {
namespace {

struct Point {
  std::string_view name;
  AttachEvent event;
};
constexpr Point kPoints[] = {{"gpu/entry", AttachEvent::kEntry}, {"gpu/exit", AttachEvent::kExit}};
constexpr const char* kPointsHint =
    "supported: SEC(\"gpu/entry:KERNEL[,KERNEL...]\") and the same with gpu/exit";

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
  const std::string_view list = section.substr(colon + 1);
  if (list.contains(';')) {
    return refuse(section, "options after \";\" are not supported", kPointsHint);
  }
  AttachPoint attach{.event = point->event, .kernels = split_kernels(list)};
  if (std::ranges::any_of(attach.kernels, &std::string::empty)) {
    return refuse(section, "a kernel name is empty",
                  fmt::format("write SEC(\"{}:*\") for all kernels", name));
  }
  return attach;
}

}  // namespace egpu::bpf
