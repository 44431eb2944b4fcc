#include "fatbin/fatbin.h"

#include <fmt/format.h>

#include "abi/fatbin_wrapper.h"
#include "fatbin/cubin.h"
#include "fatbin/decompress.h"
#include "fatbin/elf_view.h"
#include "fatbin/layout.h"
#include "fatbin/ptx_text.h"
#include "fatbin/regions.h"

namespace egpu::fatbin {
namespace {

MemberKind kind_of(const EntryHeader& entry) {
  switch (entry.kind) {
    case kPtxEntry:
      return MemberKind::kPtx;
    case kElfEntry:
      return MemberKind::kCubin;
    default:
      return MemberKind::kOther;
  }
}

char suffix_of(const EntryHeader& entry) {
  if ((entry.flags & kFlagArchitectureSpecific) != 0) return 'a';
  return (entry.flags & kFlagFamilySpecific) != 0 ? 'f' : '\0';
}

Compression compression_of(const EntryHeader& entry) {
  const std::uint64_t method = entry.flags & (kFlagLz4 | kFlagZstd);
  if (entry.compressed_size == 0) return method == 0 ? Compression::kNone : Compression::kUnknown;
  if (method == kFlagLz4) return Compression::kLz4;
  if (method == kFlagZstd) return Compression::kZstd;
  return Compression::kUnknown;
}

// The options ptxas was, or is to be, called with; empty where there are none.
Result<std::string_view> options_of(const EntryHeader& entry, Bytes header) {
  if (entry.options_offset == 0) return std::string_view{};
  const auto offset = read_at<std::uint32_t>(header, entry.options_offset);
  const auto size = read_at<std::uint32_t>(header, entry.options_offset + std::uint64_t{4});
  if (!offset || !size) return input_error("a fatbin entry's options lie outside its header");
  const auto text = slice(header, *offset, *size);
  if (!text) return input_error("a fatbin entry's options end outside its header");
  return as_text(*text);
}

// nvcc -rdc marks relocatable PTX by the option with which it is to be assembled.
bool has_compile_only(std::string_view options) {
  while (!options.empty()) {
    const std::size_t start = options.find_first_not_of(' ');
    if (start == std::string_view::npos) return false;
    options.remove_prefix(start);
    const std::string_view word = options.substr(0, options.find(' '));
    if (word == "--compile-only" || word == "-c") return true;
    options.remove_prefix(word.size());
  }
  return false;
}

// Why the member cannot be used, or nothing.
std::optional<std::string> unsupported_reason(const Member& member, std::string_view options) {
  if (member.kind_number == kLtoIrEntry)
    return "it is LTO-IR, which only a device link turns into code";
  if (member.kind == MemberKind::kOther)
    return fmt::format("its kind {} is unknown", member.kind_number);
  if (member.compression == Compression::kUnknown)
    return fmt::format("it is compressed in an unknown way (flags {:#x})", member.flags);
  if (member.kind == MemberKind::kPtx)
    return has_compile_only(options)
               ? std::optional("it is relocatable PTX (-rdc), which needs a device link")
               : std::nullopt;
  const auto start = decompress_start(member, kCubinHeaderBytes);
  if (!start) return start.error().message;
  const auto header = read_cubin_header(*start);
  if (!header) return header.error().message;
  if (header->relocatable) return "it is a relocatable cubin (-rdc), which needs a device link";
  return std::nullopt;
}

Result<Member> parse_entry(const EntryHeader& entry, Bytes header, Bytes payload) {
  EGPU_ASSIGN(const std::string_view options, options_of(entry, header));
  if (entry.compressed_size > payload.size())
    return input_error("a fatbin entry's compressed size exceeds its payload");
  Member member{.kind = kind_of(entry),
                .kind_number = entry.kind,
                .architecture = entry.architecture,
                .suffix = suffix_of(entry),
                .flags = entry.flags,
                .compression = compression_of(entry),
                .stored = payload,
                .size = payload.size(),
                .unsupported = std::nullopt,
                .options = std::string(options)};
  if (entry.compressed_size != 0) {
    member.stored = payload.first(entry.compressed_size);
    member.size = entry.raw_size;
  }
  member.unsupported = unsupported_reason(member, options);
  return member;
}

Result<void> parse_region(Bytes region, std::vector<Member>& members) {
  const auto header_of_region = read_at<abi::FatbinHeader>(region, 0);
  if (!header_of_region) return internal_error("a fatbin region without its header");
  std::uint64_t at = header_of_region->header_size;
  while (at < region.size()) {
    const std::string place = fmt::format("offset {:#x} of the fatbin", at);
    const auto entry = read_at<EntryHeader>(region, at);
    if (!entry) return input_error("a fatbin entry is cut off").at(place);
    if (entry->version != kEntryVersion || entry->header_size < sizeof(EntryHeader))
      return input_error(
                 fmt::format(
                     "a fatbin entry of version {:#x} with a header of {} bytes is not understood",
                     entry->version, entry->header_size))
          .at(place)
          .hint("look for a newer egpu");
    const auto header = slice(region, at, entry->header_size);
    const auto payload = slice(region, at + entry->header_size, entry->payload_size);
    if (!header || !payload) return input_error("a fatbin entry ends outside its fatbin").at(place);
    auto member = parse_entry(*entry, *header, *payload);
    if (!member) return Error(std::move(member).error()).at(place);
    members.push_back(*std::move(member));
    at += header->size() + payload->size();
  }
  return {};
}

Result<Image> parse_fatbin(Bytes bytes) {
  EGPU_ASSIGN(const std::vector<Bytes> regions, find_regions(bytes));
  Image image{ImageKind::kFatbin, {}};
  for (const Bytes region : regions) EGPU_TRY(parse_region(region, image.members));
  return image;
}

Result<Image> parse_cubin(Bytes bytes) {
  EGPU_ASSIGN(const CubinHeader header, read_cubin_header(bytes));
  Member member{.kind = MemberKind::kCubin,
                .kind_number = kElfEntry,
                .architecture = header.architecture,
                .suffix = '\0',
                .flags = 0,
                .compression = Compression::kNone,
                .stored = bytes,
                .size = bytes.size(),
                .unsupported = std::nullopt};
  member.unsupported = unsupported_reason(member, {});
  return Image{ImageKind::kCubin, {std::move(member)}};
}

Result<Image> parse_ptx(std::string_view text) {
  EGPU_ASSIGN(const PtxTarget target, ptx_target(text));
  return Image{ImageKind::kPtx,
               {{.kind = MemberKind::kPtx,
                 .kind_number = kPtxEntry,
                 .architecture = target.architecture,
                 .suffix = target.suffix,
                 .flags = 0,
                 .compression = Compression::kNone,
                 .stored = as_bytes(text),
                 .size = text.size(),
                 .unsupported = std::nullopt}}};
}

}  // namespace

std::string architecture_name(const Member& member) {
  std::string name = fmt::format("{}_{}", member.kind == MemberKind::kCubin ? "sm" : "compute",
                                 member.architecture);
  if (member.suffix != '\0') name += member.suffix;
  return name;
}

Result<Image> parse_image(Bytes image) {
  if (starts_with_region(image)) return parse_fatbin(image);
  if (is_elf(image)) return parse_cubin(image);
  const std::string_view text = as_text(image).substr(0, as_text(image).find('\0'));
  if (is_ptx(text)) return parse_ptx(text);
  return input_error("neither a fatbin nor a cubin nor PTX text")
      .hint("give what nvcc -fatbin, -cubin or -ptx writes");
}

Result<std::vector<Bytes>> fatbins_in_elf(Bytes file) {
  EGPU_ASSIGN(const ElfView elf, read_elf(file));
  const ElfSection* section = elf.find(".nv_fatbin");
  if (section == nullptr) return std::vector<Bytes>{};
  return find_regions(section->content);
}

}  // namespace egpu::fatbin
