#include "emu/driver/images.h"

#include "base/file.h"
#include "cuda/image_size.h"
#include "emu/driver/device_limits.h"
#include "fatbin/fatbin.h"
#include "ptx/parser.h"

namespace egpu::emu::driver {
namespace {

constexpr fatbin::ComputeCapability kDevice = {.major = kComputeMajor, .minor = kComputeMinor};
constexpr ptx::Version kNewestPtx = {.major = 9, .minor = 0};  // of CUDA 13.0

Status refuse(Status status, const std::string& why, const JitOptions& options) {
  say("a module cannot be loaded: " + why);
  options.log_error(why);
  return status;
}

std::string members_of(const fatbin::Image& image) {
  std::string names;
  for (const fatbin::Member& member : image.members)
    names += (names.empty() ? "" : ", ") + fatbin::architecture_name(member);
  return names;
}

std::uint32_t constant_bytes(const ptx::Module& ptx) {
  std::uint64_t bytes = 0;
  for (const ptx::Item& item : ptx.items) {
    const auto* declaration = std::get_if<ptx::Declaration>(&item);
    if (declaration == nullptr || !declaration->has(".const")) continue;
    for (const ptx::Declarator& declarator : declaration->declarators)
      bytes += declaration->bytes(declarator).value_or(0);
  }
  return static_cast<std::uint32_t>(bytes);
}

Status parse(const std::string& text, const std::string& name, const JitOptions& options,
             std::shared_ptr<const Code>& code) {
  auto parsed = ptx::parse(text, name);
  if (!parsed) return refuse(cuda::kInvalidPtx, to_string(parsed.error()), options);
  const auto version = parsed->version();
  const auto target = parsed->target();
  if (!version || !target)
    return refuse(cuda::kInvalidPtx, name + ": no .version or .target", options);
  if (*version > kNewestPtx)
    return refuse(cuda::kUnsupportedPtxVersion,
                  "PTX " + std::to_string(version->major) + "." + std::to_string(version->minor) +
                      " is newer than this driver",
                  options);
  auto loaded = std::make_shared<Code>();
  loaded->architecture = target->architecture;
  loaded->constant_bytes = constant_bytes(*parsed);
  loaded->ptx = *std::move(parsed);
  code = std::move(loaded);
  return cuda::kSuccess;
}

Status load_bytes(Bytes image_untrusted, const std::string& name, const JitOptions& options,
                  std::shared_ptr<const Code>& code) {
  options.clear_logs();
  std::string text;
  EGPU_STATUS(choose_ptx(image_untrusted, options, text));
  return parse(text, name, options, code);
}

}  // namespace

Status choose_ptx(Bytes image_untrusted, const JitOptions& options, std::string& text) {
  const auto image = fatbin::parse_image(image_untrusted);
  if (!image) return refuse(cuda::kInvalidImage, to_string(image.error()), options);
  if (fatbin::member_for(*image, kDevice) == nullptr)
    return refuse(cuda::kNoBinaryForGpu,
                  "it has code for " + members_of(*image) + ", none of which runs on sm_90",
                  options);
  const fatbin::Member* ptx = fatbin::ptx_member_for(*image, kDevice);
  if (ptx == nullptr)
    return refuse(cuda::kNoBinaryForGpu,
                  "it has " + members_of(*image) +
                      " and no PTX for sm_90, which is all that the emulator runs: compile with "
                      "-gencode arch=compute_90,code=compute_90",
                  options);
  auto content = fatbin::decompress(*ptx);
  if (!content) return refuse(cuda::kInvalidImage, to_string(content.error()), options);
  text = as_text(*content);
  return cuda::kSuccess;
}

Status load_image(const void* image, const JitOptions& options, std::shared_ptr<const Code>& code) {
  if (image == nullptr) return cuda::kInvalidValue;
  const cuda::Image measured = cuda::measure_image(image);
  if (measured.size == 0)
    return refuse(cuda::kInvalidImage, "it is no fatbin, cubin or PTX", options);
  return load_bytes({static_cast<const std::byte*>(measured.data), measured.size}, "module.ptx",
                    options, code);
}

Status load_file(const char* path, const JitOptions& options, std::shared_ptr<const Code>& code) {
  if (path == nullptr) return cuda::kInvalidValue;
  auto content = read_file(path);
  if (!content) return cuda::kFileNotFound;
  return load_bytes(*content, path, options, code);
}

}  // namespace egpu::emu::driver
