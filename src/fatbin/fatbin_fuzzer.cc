// Any bytes through everything that reads foreign bytes here. What is parsed must decompress or
// fail cleanly.
#include <cstddef>
#include <cstdint>

#include "fatbin/cubin.h"
#include "fatbin/fatbin.h"

namespace {

constexpr std::uint64_t kMaxContentBytes = 16 << 20;  // larger ones only slow the search down

void read_cubin(egpu::Bytes bytes) {
  (void)egpu::fatbin::cubin_kernels(bytes);
  (void)egpu::fatbin::virtual_architecture(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const egpu::Bytes bytes = std::as_bytes(std::span(data, size));
  read_cubin(bytes);
  (void)egpu::fatbin::fatbins_in_elf(bytes);
  const auto image = egpu::fatbin::parse_image(bytes);
  if (!image) return 0;
  bool small = true;
  for (const auto& member : image->members) {
    small = small && member.size <= kMaxContentBytes;
    if (member.size > kMaxContentBytes) continue;
    const auto content = egpu::fatbin::decompress(member);
    if (content && member.kind == egpu::fatbin::MemberKind::kCubin) read_cubin(*content);
  }
  const auto* chosen = egpu::fatbin::member_for(*image, {9, 0});
  if (chosen != nullptr && small) (void)egpu::fatbin::ptx_for(*image, *chosen);
  return 0;
}
