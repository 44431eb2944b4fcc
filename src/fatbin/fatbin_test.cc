// Images as nvcc would write them, and damaged ones, built in the test (test_images.h).
#include "fatbin/fatbin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fatbin/test_images.h"

namespace egpu::fatbin {
namespace {

using ::testing::HasSubstr;

constexpr char kPtxText[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry f() { ret; }\n";

constexpr std::size_t kPtxSize = sizeof kPtxText - 1;

std::string text_of(const Member& member) {
  const auto content = decompress(member);
  return content ? std::string(as_text(*content)) : "error: " + to_string(content.error());
}

std::string failure_of(std::string_view image) {
  const auto parsed = parse_image(as_bytes(image));
  return parsed ? "parsed" : to_string(parsed.error());
}

// What decompress() says about the first member.
std::string first_content(std::string_view image) {
  const auto parsed = parse_image(as_bytes(image));
  return parsed ? text_of(parsed->members.at(0)) : "not parsed: " + to_string(parsed.error());
}

TEST(ParseImage, ReadsMembersOfEveryCompression) {
  const std::string bytes = region({{.payload = kPtxText},
                                    lz4_entry({.payload = kPtxText}),
                                    zstd_entry({.payload = kPtxText}),
                                    zstd_entry({.kind = kElfEntry, .payload = cubin({})})});
  const auto image = parse_image(as_bytes(bytes));
  ASSERT_TRUE(image) << to_string(image.error());
  EXPECT_EQ(image->kind, ImageKind::kFatbin);
  ASSERT_EQ(image->members.size(), 4u);
  EXPECT_EQ(image->members[0].compression, Compression::kNone);
  EXPECT_EQ(image->members[1].compression, Compression::kLz4);
  EXPECT_EQ(image->members[2].compression, Compression::kZstd);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(image->members[i].kind, MemberKind::kPtx);
    EXPECT_EQ(text_of(image->members[i]), kPtxText);
  }
  EXPECT_EQ(image->members[3].kind, MemberKind::kCubin);
  EXPECT_EQ(image->members[3].size, cubin({}).size());
  EXPECT_EQ(text_of(image->members[3]), cubin({}));
}

TEST(ParseImage, ReadsConcatenatedRegionsWithPadding) {
  const std::string bytes =
      region({{.architecture = 80, .payload = kPtxText}}) + std::string(8, '\0') +
      region({{.architecture = 90, .payload = kPtxText}}) + std::string(16, '\0');
  const auto image = parse_image(as_bytes(bytes));
  ASSERT_TRUE(image) << to_string(image.error());
  ASSERT_EQ(image->members.size(), 2u);
  EXPECT_EQ(image->members[1].architecture, 90u);
}

TEST(ParseImage, TellsArchitectureSpecificCodeApart) {
  const std::string bytes =
      region({{.architecture = 90, .payload = kPtxText},
              {.architecture = 90, .flags = kFlagArchitectureSpecific, .payload = kPtxText},
              {.architecture = 100, .flags = kFlagFamilySpecific, .payload = kPtxText},
              {.kind = kElfEntry, .flags = kFlagArchitectureSpecific, .payload = cubin({})}});
  const auto image = parse_image(as_bytes(bytes));
  ASSERT_TRUE(image) << to_string(image.error());
  EXPECT_EQ(architecture_name(image->members[0]), "compute_90");
  EXPECT_EQ(architecture_name(image->members[1]), "compute_90a");
  EXPECT_EQ(architecture_name(image->members[2]), "compute_100f");
  EXPECT_EQ(architecture_name(image->members[3]), "sm_90a");
}

TEST(ParseImage, KeepsTheAssemblersOptions) {
  const std::string bytes =
      region({{.payload = kPtxText}, {.payload = kPtxText, .options = " -maxrregcount=32 "}});
  const auto image = parse_image(as_bytes(bytes));
  ASSERT_TRUE(image) << to_string(image.error());
  EXPECT_EQ(image->members[0].options, "");
  EXPECT_EQ(image->members[1].options, " -maxrregcount=32 ");
}

TEST(ParseImage, SaysWhyAMemberCannotBeUsed) {
  const std::string relocatable = cubin({.relocatable = true});
  const std::string bytes = region({{.payload = kPtxText, .options = "--compile-only  "},
                                    {.payload = kPtxText, .options = " -g -c"},
                                    {.payload = kPtxText, .options = " -g --compile-only-not"},
                                    zstd_entry({.kind = kElfEntry, .payload = relocatable}),
                                    lz4_entry({.kind = kElfEntry, .payload = relocatable}),
                                    {.kind = kElfEntry, .payload = relocatable},
                                    {.kind = kLtoIrEntry, .payload = "anything"},
                                    {.kind = 77, .payload = "anything"},
                                    {.flags = 0x1000, .payload = "anything", .raw_size = 9},
                                    {.flags = kFlagZstd, .payload = "anything"},
                                    {.kind = kElfEntry, .payload = "no ELF"}});
  const auto image = parse_image(as_bytes(bytes));
  ASSERT_TRUE(image) << to_string(image.error());
  const char* const reasons[] = {
      "relocatable PTX",   "relocatable PTX",   nullptr,          "relocatable cubin",
      "relocatable cubin", "relocatable cubin", "LTO-IR",         "kind 77 is unknown",
      "flags 0x1000",      "flags 0x8000",      "not an ELF file"};
  ASSERT_EQ(image->members.size(), std::size(reasons));
  for (std::size_t i = 0; i < std::size(reasons); ++i) {
    const Member& member = image->members[i];
    EXPECT_EQ(member.unsupported.has_value(), reasons[i] != nullptr) << i;
    if (!member.unsupported || reasons[i] == nullptr) continue;
    EXPECT_THAT(*member.unsupported, HasSubstr(reasons[i])) << i;
    EXPECT_THAT(text_of(member), HasSubstr(reasons[i])) << i;
  }
}

TEST(ParseImage, RecognisesCubins) {
  const std::string current = cubin({.architecture = 120});
  const auto image = parse_image(as_bytes(current));
  ASSERT_TRUE(image) << to_string(image.error());
  EXPECT_EQ(image->kind, ImageKind::kCubin);
  EXPECT_EQ(image->members[0].architecture, 120u);
  EXPECT_EQ(text_of(image->members[0]), current);

  const std::string older = cubin({.architecture = 75, .before_cuda_13 = true});
  EXPECT_EQ(parse_image(as_bytes(older))->members[0].architecture, 75u);

  const std::string relocatable = cubin({.relocatable = true});
  EXPECT_TRUE(parse_image(as_bytes(relocatable))->members[0].unsupported);
}

TEST(ParseImage, RecognisesPtx) {
  const std::string text =
      "// header\n/* and\nmore */\n.version 8.3 // note\n.target /* list: */ sm_100f, debug\n";
  const std::string with_nul = text + '\0' + "not read";
  const auto image = parse_image(as_bytes(with_nul));
  ASSERT_TRUE(image) << to_string(image.error());
  EXPECT_EQ(image->kind, ImageKind::kPtx);
  EXPECT_EQ(architecture_name(image->members[0]), "compute_100f");
  EXPECT_EQ(text_of(image->members[0]), text);
}

TEST(ParseImage, RefusesWhatItDoesNotKnow) {
  const std::string program = host_program({});
  EXPECT_THAT(failure_of(""), HasSubstr("neither a fatbin nor a cubin nor PTX"));
  EXPECT_THAT(failure_of("hello"), HasSubstr("neither a fatbin nor a cubin nor PTX"));
  EXPECT_THAT(failure_of("// no end"), HasSubstr("neither a fatbin nor a cubin nor PTX"));
  EXPECT_THAT(failure_of("/* no end"), HasSubstr("neither a fatbin nor a cubin nor PTX"));
  EXPECT_THAT(failure_of(program), HasSubstr("machine 62"));
  EXPECT_THAT(failure_of("\x7f"
                         "ELF"),
              HasSubstr("shorter than its header"));
  EXPECT_THAT(failure_of(".version 9.0"), HasSubstr("no .target"));
  EXPECT_THAT(failure_of(".version 9.0 .target map_f64_to_f32"), HasSubstr("no sm_ architecture"));
  EXPECT_THAT(failure_of(".version 9.0 .target sm_"), HasSubstr("no number"));
}

TEST(ParseImage, EveryTruncationIsRefused) {
  const std::string bytes =
      region({{.payload = kPtxText, .options = "-g"}, zstd_entry({.payload = kPtxText})});
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(failure_of(bytes.substr(0, size)), "parsed") << size;
}

TEST(ParseImage, RefusesDamagedRegions) {
  std::string bytes = region({{.payload = kPtxText}});
  EXPECT_THAT(failure_of(bytes + "garbage behind it"),
              HasSubstr("where a fatbin's magic should be"));
  EXPECT_THAT(failure_of(bytes + bytes.substr(0, 8)), HasSubstr("a fatbin header is cut off"));

  std::string newer = bytes;
  newer[4] = 2;
  EXPECT_THAT(failure_of(newer), HasSubstr("version 2"));
  std::string no_header = bytes;
  no_header[6] = 0;
  EXPECT_THAT(failure_of(no_header), HasSubstr("header of 0 bytes"));
  std::string wraps = bytes;
  wraps.replace(8, 8, std::string(8, '\xff'));
  EXPECT_THAT(failure_of(wraps), HasSubstr("not understood"));
  std::string long_header = bytes;
  long_header.replace(6, 2, "\xff\xff");
  EXPECT_THAT(failure_of(long_header), HasSubstr("announces"));
}

TEST(ParseImage, RefusesDamagedEntries) {
  EXPECT_THAT(failure_of(region({{.payload = kPtxText, .header_size_lie = 8}})),
              HasSubstr("header of 8 bytes"));
  EXPECT_THAT(failure_of(region({{.payload = kPtxText, .version = 0x200}})),
              HasSubstr("version 0x200"));
  EXPECT_THAT(failure_of(region({{.payload = kPtxText, .header_size_lie = 0xffffffff}})),
              HasSubstr("ends outside"));
  EXPECT_THAT(failure_of(region({{.payload = kPtxText, .payload_size_lie = ~0ull}})),
              HasSubstr("ends outside"));
  EXPECT_THAT(failure_of(region({{.payload = kPtxText, .payload_size_lie = ~0ull - 63}})),
              HasSubstr("ends outside"));
  EXPECT_THAT(failure_of(region({{.payload = kPtxText, .payload_size_lie = 8}})),
              HasSubstr("offset 0x58 of the fatbin: a fatbin entry of version"))
      << "the next entry would begin inside the payload";
  EXPECT_THAT(failure_of(region({{.payload = kPtxText, .compressed_size_lie = 1 << 20}})),
              HasSubstr("compressed size exceeds"));
  std::string options = region({{.payload = kPtxText, .options = "-g"}});
  options[16 + 64] = '\x7f';
  EXPECT_THAT(failure_of(options), HasSubstr("options end outside"));
  options[16 + 20] = '\x7f';
  EXPECT_THAT(failure_of(options), HasSubstr("options lie outside"));
}

TEST(Decompress, StripsThePaddingOfPtx) {
  EXPECT_EQ(first_content(region({{.payload = ".version 9.0"}})), ".version 9.0");
  EXPECT_EQ(first_content(region({zstd_entry({.payload = std::string("text\0", 5)})})), "text");
}

TEST(Decompress, RefusesAnnouncedSizesThatAreNotTrue) {
  for (const std::uint64_t size :
       {kPtxSize - 1, kPtxSize + 1, std::size_t{1} << 20, std::size_t{1} << 40}) {
    TestEntry lz4 = lz4_entry({.payload = kPtxText});
    TestEntry zstd = zstd_entry({.payload = kPtxText});
    lz4.raw_size = zstd.raw_size = size;
    EXPECT_THAT(first_content(region({lz4})), HasSubstr("announces")) << size;
    EXPECT_THAT(first_content(region({zstd})), HasSubstr("announces")) << size;
  }
}

TEST(Decompress, RefusesBombs) {
  const std::string zeros(64 << 20, '\0');
  TestEntry bomb = zstd_entry({.payload = zeros});
  bomb.raw_size = 1000;
  EXPECT_THAT(first_content(region({bomb})),
              HasSubstr("announces 1000 bytes but its content says 67108864"));
  bomb.raw_size = (1ull << 30) + 1;
  EXPECT_THAT(first_content(region({bomb})), HasSubstr("the most is"));
}

TEST(Decompress, RefusesDamagedContent) {
  TestEntry lz4 = lz4_entry({.payload = kPtxText});
  TestEntry zstd = zstd_entry({.payload = kPtxText});
  lz4.payload = std::string(lz4.payload.size(), '\xff');
  zstd.payload = std::string(zstd.payload.size(), '\xff');
  EXPECT_THAT(first_content(region({lz4})), HasSubstr("no valid LZ4 block"));
  EXPECT_THAT(first_content(region({zstd})), HasSubstr("no zstd frame"));
}

TEST(FatbinsInElf, WalksTheSection) {
  const std::string first = region({{.architecture = 80, .payload = kPtxText}});
  const std::string second = region({{.architecture = 90, .payload = kPtxText}});
  const std::string file =
      host_program({{.name = "__nv_relfatbin", .content = first},
                    {.name = ".nv_fatbin", .content = first + std::string(8, '\0') + second}});
  const auto fatbins = fatbins_in_elf(as_bytes(file));
  ASSERT_TRUE(fatbins) << to_string(fatbins.error());
  ASSERT_EQ(fatbins->size(), 2u);
  EXPECT_EQ(as_text(fatbins->at(0)), first);
  EXPECT_EQ(as_text(fatbins->at(1)), second);
}

TEST(FatbinsInElf, FindsNothingInOrdinaryPrograms) {
  const std::string file = host_program({});
  const auto fatbins = fatbins_in_elf(as_bytes(file));
  ASSERT_TRUE(fatbins) << to_string(fatbins.error());
  EXPECT_TRUE(fatbins->empty());
  EXPECT_FALSE(fatbins_in_elf(as_bytes("#!/bin/sh\n")));
}

TEST(FatbinsInElf, EveryTruncationIsRefused) {
  const std::string file =
      host_program({{.name = ".nv_fatbin", .content = region({{.payload = kPtxText}})}});
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(fatbins_in_elf(as_bytes(file).first(size))) << size;
}

TEST(FatbinWrapper, TellsTheBytesToSend) {
  using abi::FatbinHeader;
  EXPECT_EQ(abi::fatbin_bytes(FatbinHeader{abi::kFatbinMagic, 1, 16, 100}), 116u);
  EXPECT_EQ(abi::fatbin_bytes(FatbinHeader{0, 1, 16, 100}), 0u);
  EXPECT_EQ(abi::fatbin_bytes(FatbinHeader{abi::kFatbinMagic, 2, 16, 100}), 0u);
  EXPECT_EQ(abi::fatbin_bytes(FatbinHeader{abi::kFatbinMagic, 1, 8, 100}), 0u);
  EXPECT_EQ(abi::fatbin_bytes(FatbinHeader{abi::kFatbinMagic, 1, 16, ~0ull}), 0u);
}

}  // namespace
}  // namespace egpu::fatbin
