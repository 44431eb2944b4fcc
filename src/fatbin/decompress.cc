#include "fatbin/decompress.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

namespace egpu::fatbin {
namespace {

constexpr std::uint64_t kMaxContentBytes = 1ull << 30;
// No LZ4 block grows more (one byte can stand for at most 255); a larger announcement is a lie,
// found before anything is allocated.
constexpr std::uint64_t kMaxLz4Ratio = 255;

const char* as_chars(Bytes bytes) { return reinterpret_cast<const char*>(bytes.data()); }
char* as_chars(std::vector<std::byte>& bytes) { return reinterpret_cast<char*>(bytes.data()); }

Error mismatch(std::uint64_t announced, std::string_view got) {
  return input_error(
             fmt::format("a fatbin member announces {} bytes but its content {}", announced, got))
      .hint("the file is damaged: build it again");
}

// `size`: announced; the whole content or, for `partial`, its first bytes.
Result<std::vector<std::byte>> unpack_lz4(Bytes stored, std::size_t size, bool partial) {
  if (stored.size() > LZ4_MAX_INPUT_SIZE || size / kMaxLz4Ratio > stored.size())
    return mismatch(size, "cannot hold as many");
  std::vector<std::byte> content(size);
  const int capacity = static_cast<int>(size);
  const int input = static_cast<int>(stored.size());
  const int got = partial
                      ? LZ4_decompress_safe_partial(as_chars(stored), as_chars(content), input,
                                                    capacity, capacity)
                      : LZ4_decompress_safe(as_chars(stored), as_chars(content), input, capacity);
  if (got < 0) return mismatch(size, "is no valid LZ4 block of that size");
  if (!partial && got != capacity) return mismatch(size, fmt::format("has {}", got));
  content.resize(static_cast<std::size_t>(got));
  return content;
}

Result<std::vector<std::byte>> unpack_zstd(Bytes stored, std::size_t size) {
  const unsigned long long frame = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (frame != ZSTD_CONTENTSIZE_UNKNOWN && frame != size)
    return mismatch(
        size, frame == ZSTD_CONTENTSIZE_ERROR ? "is no zstd frame" : fmt::format("says {}", frame));
  std::vector<std::byte> content(size);
  const std::size_t got =
      ZSTD_decompress(content.data(), content.size(), stored.data(), stored.size());
  if (ZSTD_isError(got) != 0)
    return mismatch(size, fmt::format("fails: {}", ZSTD_getErrorName(got)));
  if (got != size) return mismatch(size, fmt::format("has {}", got));
  return content;
}

Result<std::vector<std::byte>> unpack_zstd_start(Bytes stored, std::size_t bytes) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                     &ZSTD_freeDCtx);
  std::vector<std::byte> content(bytes);
  ZSTD_inBuffer input{stored.data(), stored.size(), 0};
  ZSTD_outBuffer output{content.data(), content.size(), 0};
  while (output.pos < output.size && input.pos < input.size) {
    const std::size_t left = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(left) != 0)
      return input_error(
          fmt::format("a fatbin member's zstd frame is damaged: {}", ZSTD_getErrorName(left)));
    if (left == 0) break;
  }
  content.resize(output.pos);
  return content;
}

// PTX ends in NULs: padding of an uncompressed member, or the text's own terminator.
void drop_trailing_nuls(std::vector<std::byte>& text) {
  while (!text.empty() && text.back() == std::byte{0}) text.pop_back();
}

Result<std::vector<std::byte>> unpack(const Member& member) {
  switch (member.compression) {
    case Compression::kNone:
      return std::vector<std::byte>(member.stored.begin(), member.stored.end());
    case Compression::kLz4:
      return unpack_lz4(member.stored, member.size, false);
    case Compression::kZstd:
      return unpack_zstd(member.stored, member.size);
    case Compression::kUnknown:
      break;
  }
  return input_error(
      fmt::format("a fatbin member is compressed in an unknown way (flags {:#x})", member.flags));
}

}  // namespace

Result<std::vector<std::byte>> decompress(const Member& member) {
  if (member.unsupported)
    return input_error("a fatbin member cannot be used: " + *member.unsupported);
  if (member.size > kMaxContentBytes)
    return input_error(fmt::format("a fatbin member announces {} bytes; the most is {}",
                                   member.size, kMaxContentBytes));
  EGPU_ASSIGN(auto content, unpack(member));
  if (member.kind == MemberKind::kPtx) drop_trailing_nuls(content);
  return content;
}

Result<std::vector<std::byte>> decompress_start(const Member& member, std::size_t bytes) {
  const std::size_t wanted = std::min<std::uint64_t>(bytes, member.size);
  switch (member.compression) {
    case Compression::kNone: {
      const Bytes start = member.stored.first(std::min(wanted, member.stored.size()));
      return std::vector<std::byte>(start.begin(), start.end());
    }
    case Compression::kLz4:
      return unpack_lz4(member.stored, wanted, true);
    case Compression::kZstd:
      return unpack_zstd_start(member.stored, wanted);
    case Compression::kUnknown:
      break;
  }
  return input_error(
      fmt::format("a fatbin member is compressed in an unknown way (flags {:#x})", member.flags));
}

}  // namespace egpu::fatbin
