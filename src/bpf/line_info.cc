#include "bpf/line_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bpf/decode.h"

namespace egpu::bpf {
namespace {

struct Header {
  std::uint16_t magic;
  std::uint8_t version;
  std::uint8_t flags;
  std::uint32_t header_bytes;
  std::uint32_t function_offset;  // this and the others: from the end of the header
  std::uint32_t function_bytes;
  std::uint32_t line_offset;
  std::uint32_t line_bytes;
};
static_assert(sizeof(Header) == 24);

struct SectionHeader {
  std::uint32_t name;
  std::uint32_t count;
};

// Records may be longer than this; what follows is of a later format.
struct RawRecord {
  std::uint32_t byte_offset;  // of the instruction in its section
  std::uint32_t file;
  std::uint32_t text;
  std::uint32_t line_and_column;
};

Error damaged(std::uint64_t offset, std::string what) {
  return input_error(std::move(what))
      .at(fmt::format("section .BTF.ext, offset {:#x}", offset))
      .hint("compile the program again with clang -target bpf -g");
}

std::string_view without_leading_blanks(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

// The line_info part of the section, after its header was checked.
Result<Bytes> line_part(Bytes section) {
  constexpr std::uint16_t kMagic = 0xeb9f;
  const auto header = read_at<Header>(section, 0);
  if (!header || header->magic != kMagic || header->version != 1) {
    return damaged(0, "the header is damaged");
  }
  const auto part =
      slice(section, std::uint64_t{header->header_bytes} + header->line_offset, header->line_bytes);
  if (!part) return damaged(0, "the header points outside the section");
  return *part;
}

}  // namespace

Result<LineTable> LineTable::parse(Bytes section_untrusted, const Btf& btf) {
  EGPU_ASSIGN(const Bytes part, line_part(section_untrusted));
  LineTable table;
  if (part.empty()) return table;
  const auto record_bytes = read_at<std::uint32_t>(part, 0);
  if (!record_bytes || *record_bytes < sizeof(RawRecord)) {
    return damaged(0, "the line records have an unknown size");
  }
  std::uint64_t offset = sizeof(std::uint32_t);
  while (offset < part.size()) {
    const auto header = read_at<SectionHeader>(part, offset);
    const auto section = header ? btf.string_at(header->name) : std::nullopt;
    if (!section) return damaged(offset, "a section of line records is damaged");
    std::vector<Record>& records = table.records_[std::string(*section)];
    offset += sizeof(SectionHeader);
    for (std::uint32_t i = 0; i < header->count; ++i, offset += *record_bytes) {
      const auto raw = read_at<RawRecord>(part, offset);
      const auto file = raw ? btf.string_at(raw->file) : std::nullopt;
      const auto text = raw ? btf.string_at(raw->text) : std::nullopt;
      if (!file || !text) return damaged(offset, "a line record is damaged");
      records.push_back({static_cast<std::uint32_t>(raw->byte_offset / kSlotBytes),
                         {.file = std::string(*file),
                          .line = raw->line_and_column >> 10,
                          .text = std::string(without_leading_blanks(*text))}});
    }
  }
  for (auto& [section, records] : table.records_) {
    std::ranges::sort(records, {}, &Record::slot);
  }
  return table;
}

std::optional<SourceLine> LineTable::find(std::string_view section, std::uint32_t first,
                                          std::uint32_t slot) const {
  const auto records = records_.find(section);
  if (records == records_.end()) return std::nullopt;
  const auto after = std::ranges::upper_bound(records->second, slot, {}, &Record::slot);
  if (after == records->second.begin() || std::prev(after)->slot < first) return std::nullopt;
  return std::prev(after)->line;
}

}  // namespace egpu::bpf
