#include "cli/inspect_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/demangle.h"
#include "base/file.h"
#include "base/printable.h"
#include "cli/inspection.h"
#include "cli/table.h"
#include "cli/text.h"

namespace egpu::cli {
namespace {

std::string kind_name(const fatbin::Member& member) {
  switch (member.kind) {
    case fatbin::MemberKind::kPtx:
      return "PTX";
    case fatbin::MemberKind::kCubin:
      return "cubin";
    case fatbin::MemberKind::kOther:
      return fmt::format("kind {}", member.kind_number);
  }
  return "";
}

const char* compression_name(fatbin::Compression compression) {
  switch (compression) {
    case fatbin::Compression::kNone:
      return "none";
    case fatbin::Compression::kLz4:
      return "lz4";
    case fatbin::Compression::kZstd:
      return "zstd";
    case fatbin::Compression::kUnknown:
      return "unknown";
  }
  return "";
}

std::string members_table(const fatbin::Image& image, const Terminal& terminal) {
  Table table({{.header = "member", .align = Align::kRight},
               {.header = "kind"},
               {.header = "architecture"},
               {.header = "compression"},
               {.header = "stored", .align = Align::kRight},
               {.header = "size", .align = Align::kRight},
               {.header = "note", .may_shrink = true}});
  for (std::size_t i = 0; i < image.members.size(); ++i) {
    const fatbin::Member& member = image.members[i];
    table.add_row({std::to_string(i + 1), kind_name(member), fatbin::architecture_name(member),
                   compression_name(member.compression), format_bytes(member.stored.size()),
                   format_bytes(member.size), member.unsupported.value_or("")});
  }
  return table.render(terminal.width);
}

// "member 1 (cubin sm_90)"
std::string describe_member(const fatbin::Image& image, std::size_t index) {
  const fatbin::Member& member = image.members[index];
  return fmt::format("member {} ({} {})", index + 1, kind_name(member),
                     fatbin::architecture_name(member));
}

std::string verdict(const InspectedImage& image) {
  std::string text;
  if (image.runs) text += "runs: " + describe_member(image.image, *image.runs) + "\n";
  if (image.probed)
    text += "can be probed: yes, through " + describe_member(image.image, *image.probed) + "\n";
  else
    text += "can be probed: no: " + printable(image.reason) + "\n";
  return text;
}

std::string kernels_table(const InspectedImage& image, const Terminal& terminal) {
  Table table({{.header = "kernel", .may_shrink = true}});
  for (const std::string& kernel : image.kernels) table.add_row({demangle(kernel)});
  return table.render(terminal.width);
}

std::string as_text(const Inspection& inspection, const InspectOptions& options,
                    const Terminal& terminal) {
  std::string text = options.file + ": " + inspection.kind;
  if (inspection.images.empty())
    return text + " without code for a GPU; kernels may be in the shared libraries it loads\n";
  const bool several = inspection.images.size() > 1;
  if (several) text += fmt::format(" with {}", counted(inspection.images.size(), "fatbin"));
  text += "; on compute capability " + options.compute_capability + ":\n";
  for (std::size_t i = 0; i < inspection.images.size(); ++i) {
    const InspectedImage& image = inspection.images[i];
    text += "\n";
    if (several) text += fmt::format("fatbin {}\n", i + 1);
    text += members_table(image.image, terminal) + verdict(image);
    if (!image.kernels.empty()) text += kernels_table(image, terminal);
  }
  return text;
}

nlohmann::ordered_json image_json(const InspectedImage& image) {
  nlohmann::ordered_json json = {{"members", nlohmann::ordered_json::array()}};
  for (const fatbin::Member& member : image.image.members)
    json["members"].push_back({{"kind", kind_name(member)},
                               {"architecture", fatbin::architecture_name(member)},
                               {"compression", compression_name(member.compression)},
                               {"stored_bytes", member.stored.size()},
                               {"bytes", member.size},
                               {"unsupported", member.unsupported.value_or("")}});
  json["runs"] = image.runs ? nlohmann::ordered_json(*image.runs) : nlohmann::ordered_json();
  json["probed"] = image.probed ? nlohmann::ordered_json(*image.probed) : nlohmann::ordered_json();
  json["reason"] = image.reason;
  json["kernels"] = nlohmann::ordered_json::array();
  for (const std::string& kernel : image.kernels)
    json["kernels"].push_back({{"name", kernel}, {"demangled", demangle(kernel)}});
  return json;
}

std::string as_json(const Inspection& inspection, const InspectOptions& options) {
  nlohmann::ordered_json json = {{"file", options.file},
                                 {"kind", inspection.kind},
                                 {"compute_capability", options.compute_capability},
                                 {"images", nlohmann::ordered_json::array()}};
  for (const InspectedImage& image : inspection.images) json["images"].push_back(image_json(image));
  return json_text(json);
}

}  // namespace

Result<Outcome> inspect_command(const Context& context, const InspectOptions& options) {
  EGPU_ASSIGN(const fatbin::ComputeCapability gpu,
              parse_compute_capability(options.compute_capability));
  EGPU_ASSIGN(const std::vector<std::byte> file, read_file(options.file));
  auto inspection = inspect(file, gpu);
  if (!inspection) {
    Error error = std::move(inspection).error();
    error.place = options.file + (error.place.empty() ? "" : ", " + error.place);
    if (error.remedy.empty())
      error.remedy = "egpu inspect reads executables, shared libraries, fatbins, cubins and PTX";
    return error;
  }
  return Outcome{.text = options.json ? as_json(*inspection, options)
                                      : as_text(*inspection, options, context.output),
                 .errors = {},
                 .exit_code = 0};
}

}  // namespace egpu::cli
