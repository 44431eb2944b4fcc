#include "fatbin/regions.h"

#include <fmt/format.h>

#include <algorithm>

#include "abi/fatbin_wrapper.h"

namespace egpu::fatbin {

bool starts_with_region(Bytes bytes) {
  return read_at<std::uint32_t>(bytes, 0) == abi::kFatbinMagic;
}

Result<std::vector<Bytes>> find_regions(Bytes bytes) {
  std::vector<Bytes> regions;
  std::size_t at = 0;
  while (true) {
    const auto next = std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.end(),
                                   [](std::byte byte) { return byte != std::byte{0}; });
    if (next == bytes.end()) return regions;
    at = static_cast<std::size_t>(next - bytes.begin());
    const std::string place = fmt::format("offset {:#x}", at);

    const auto header = read_at<abi::FatbinHeader>(bytes, at);
    if (!header) return input_error("a fatbin header is cut off").at(place);
    if (header->magic != abi::kFatbinMagic)
      return input_error(fmt::format("{:#010x} where a fatbin's magic should be", header->magic))
          .at(place);
    const std::uint64_t size = abi::fatbin_bytes(*header);
    if (size == 0)
      return input_error(
                 fmt::format("a fatbin of version {} with a header of {} bytes is not understood",
                             header->version, header->header_size))
          .at(place)
          .hint("look for a newer egpu");
    const auto region = slice(bytes, at, size);
    if (!region)
      return input_error(
                 fmt::format("a fatbin announces {} bytes; {} are there", size, bytes.size() - at))
          .at(place);
    regions.push_back(*region);
    at += size;
  }
}

}  // namespace egpu::fatbin
