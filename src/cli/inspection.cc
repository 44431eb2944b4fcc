#include "cli/inspection.h"

#include <elf.h>

#include <algorithm>
#include <charconv>

#include "fatbin/cubin.h"
#include "fatbin/elf_view.h"
#include "instrument/instrument.h"
#include "ptx/parser.h"

namespace egpu::cli {
namespace {

std::optional<unsigned> parse_number(std::string_view text) {
  unsigned number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_host_elf(Bytes file) {
  return fatbin::is_elf(file) &&
         read_at<Elf64_Half>(file, offsetof(Elf64_Ehdr, e_machine)) != fatbin::kCudaMachine;
}

const char* kind_name(fatbin::ImageKind kind) {
  switch (kind) {
    case fatbin::ImageKind::kFatbin:
      return "fatbin";
    case fatbin::ImageKind::kCubin:
      return "cubin";
    case fatbin::ImageKind::kPtx:
      return "PTX";
  }
  return "";
}

std::optional<std::size_t> index_of(const fatbin::Image& image, const fatbin::Member* member) {
  if (member == nullptr) return std::nullopt;
  return static_cast<std::size_t>(member - image.members.data());
}

Result<ptx::Module> parse_member(const fatbin::Member& member) {
  EGPU_ASSIGN(const std::vector<std::byte> text, fatbin::decompress(member));
  return ptx::parse(as_text(text), fatbin::architecture_name(member) + ".ptx");
}

Result<std::vector<std::string>> kernels_of(const fatbin::Member& member) {
  if (member.kind == fatbin::MemberKind::kCubin) {
    EGPU_ASSIGN(const std::vector<std::byte> cubin, fatbin::decompress(member));
    return fatbin::cubin_kernels(cubin);
  }
  EGPU_ASSIGN(const ptx::Module module, parse_member(member));
  std::vector<std::string> names;
  for (const ptx::Function* entry : module.entries()) names.emplace_back(entry->name);
  return names;
}

// Why the PTX that would be instrumented cannot be; empty where it can.
std::string obstacle_in(const fatbin::Member& ptx_member) {
  const auto module = parse_member(ptx_member);
  if (!module) return to_string(module.error());
  const auto target = module->target();
  if (!target) return "its PTX names no target";
  if (target->architecture < instrument::kOldestArchitecture)
    return "its PTX is for sm_" + std::to_string(target->architecture) + ", older than sm_" +
           std::to_string(instrument::kOldestArchitecture);
  if (module->address_size() != 64) return "its PTX has no 64-bit addresses";
  return "";
}

// What cannot be read may have some. For each program nvcc links in a fatbin that has none.
bool may_have_kernels(const fatbin::Member& member) {
  if (member.unsupported) return true;
  const auto kernels = kernels_of(member);
  return !kernels || !kernels->empty();
}

InspectedImage inspect_image(fatbin::Image image, fatbin::ComputeCapability gpu) {
  InspectedImage result{
      .image = std::move(image), .runs = {}, .probed = {}, .reason = {}, .kernels = {}};
  const fatbin::Member* chosen = fatbin::member_for(result.image, gpu);
  result.runs = index_of(result.image, chosen);
  if (chosen == nullptr) {
    result.reason = std::ranges::any_of(result.image.members, may_have_kernels)
                        ? "the driver has nothing here to run on this GPU"
                        : "it has no kernels";
    return result;
  }
  if (chosen->unsupported) {
    result.reason = *chosen->unsupported;
    return result;
  }
  auto kernels = kernels_of(*chosen);
  if (!kernels) {
    result.reason = to_string(kernels.error());
    return result;
  }
  result.kernels = *std::move(kernels);
  if (result.kernels.empty()) {
    result.reason = "it has no kernels";
    return result;
  }

  const fatbin::Member* ptx = fatbin::ptx_for(result.image, *chosen);
  if (ptx == nullptr) {
    result.reason = "no PTX for the architecture of the machine code that runs, " +
                    fatbin::architecture_name(*chosen);
    return result;
  }
  result.reason = obstacle_in(*ptx);
  if (result.reason.empty()) result.probed = index_of(result.image, ptx);
  return result;
}

}  // namespace

Result<fatbin::ComputeCapability> parse_compute_capability(const std::string& text) {
  std::string_view digits = text;
  if (digits.starts_with("sm_")) digits.remove_prefix(3);
  if (const std::size_t dot = digits.find('.'); dot != std::string_view::npos) {
    const auto major = parse_number(digits.substr(0, dot));
    const auto minor = parse_number(digits.substr(dot + 1));
    if (major && minor && *major < 100 && *minor < 10)
      return fatbin::ComputeCapability{*major, *minor};
  } else if (const auto number = parse_number(digits); number && *number >= 10 && *number < 1000) {
    return fatbin::ComputeCapability{*number / 10, *number % 10};
  }
  return input_error("`" + text + "` is no compute capability")
      .at("--sm")
      .hint("give a number such as 90 (H100, H200) or 100");
}

Result<Inspection> inspect(Bytes file_untrusted, fatbin::ComputeCapability gpu) {
  Inspection inspection;
  if (!is_host_elf(file_untrusted)) {
    EGPU_ASSIGN(fatbin::Image image, fatbin::parse_image(file_untrusted));
    inspection.kind = kind_name(image.kind);
    inspection.images.push_back(inspect_image(std::move(image), gpu));
    return inspection;
  }
  inspection.kind = "ELF file";
  EGPU_ASSIGN(const std::vector<Bytes> fatbins, fatbin::fatbins_in_elf(file_untrusted));
  for (const Bytes fatbin_untrusted : fatbins) {
    EGPU_ASSIGN(fatbin::Image image, fatbin::parse_image(fatbin_untrusted));
    inspection.images.push_back(inspect_image(std::move(image), gpu));
  }
  return inspection;
}

}  // namespace egpu::cli
