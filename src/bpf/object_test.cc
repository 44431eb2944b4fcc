// load_object() on what clang makes of tests/programs, and on damaged copies of it. What it refuses
// by name is tested with the programs of tests/programs/refused, in src/verifier/programs_test.cc.
#include "bpf/object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "abi/context.h"
#include "base/file.h"

namespace egpu::bpf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::byte> compiled(const std::string& name) {
  const auto bytes =
      read_file(std::filesystem::path(EGPU_BINARY_DIR) / "tests/programs" / (name + ".bpf.o"));
  EXPECT_TRUE(bytes) << to_string(bytes.error());
  return bytes ? *bytes : std::vector<std::byte>();
}

Object loaded(const std::string& name) {
  const auto object = load_object(compiled(name), name + ".bpf.o");
  EXPECT_TRUE(object) << to_string(object.error());
  return object ? *object : Object();
}

TEST(Object, HasProgramsMapsAndLines) {
  const Object object = loaded("count");
  ASSERT_EQ(object.programs.size(), 1U);
  const Program& program = object.programs[0];
  EXPECT_EQ(program.name, "count");
  EXPECT_EQ(program.section, "gpu/entry:*");
  EXPECT_EQ(program.attach, (AttachPoint{.kernels = {"*"}}));
  EXPECT_EQ(program.slots.size(), program.instructions.size());
  ASSERT_EQ(program.source.size(), program.instructions.size());
  const SourceLine line = program.source[0].value_or(SourceLine());
  EXPECT_THAT(line.file, HasSubstr("count.bpf.c"));
  EXPECT_EQ(line.line, 15U);
  EXPECT_EQ(line.text, "egpu_kernel_id kernel = ctx->kernel_id;");
  EXPECT_THAT(program.place(0), HasSubstr("program count, instruction 0 ("));
  EXPECT_THAT(program.place(0), HasSubstr("count.bpf.c:15)"));
  EXPECT_EQ(program.place(999), "program count, instruction 999");

  ASSERT_EQ(object.maps.size(), 1U);
  const MapDefinition& map = object.maps[0];
  EXPECT_EQ(map.name, "threads");
  EXPECT_EQ(map.type, MapType::kPercpuArray);
  EXPECT_EQ(map.key_size, 4U);
  EXPECT_EQ(map.value_size, 8U);
  EXPECT_EQ(map.max_entries, 64U);
  EXPECT_TRUE(object.btf.has_typedef(map.key_type.value_or(TypeId()), "egpu_kernel_id"));
  EXPECT_FALSE(object.btf.has_typedef(map.value_type.value_or(TypeId()), "egpu_kernel_id"));
}

TEST(Object, MapLoadsReferToTheirMaps) {
  const Object object = loaded("stack_key");
  ASSERT_EQ(object.maps.size(), 2U);
  std::vector<std::string> used;
  for (const Instruction& instruction : object.programs[0].instructions) {
    const auto* const load = std::get_if<LoadImm64>(&instruction);
    if (load != nullptr && load->kind == Imm64Kind::kMap)
      used.push_back(object.maps[load->value].name);
  }
  EXPECT_THAT(used, ElementsAre("weights", "sums"));
  EXPECT_THAT(object.programs[0].attach.kernels, ElementsAre("reduce*", "scan*"));
}

TEST(Object, SplitsSectionsByFunction) {
  const Object object = loaded("two_programs");
  ASSERT_EQ(object.programs.size(), 3U);
  EXPECT_EQ(object.programs[0].name, "threads");
  EXPECT_EQ(object.programs[1].name, "blocks");
  EXPECT_EQ(object.programs[2].name, "launches");
  EXPECT_EQ(object.programs[0].slots[0], 0U);
  EXPECT_GT(object.programs[1].slots[0], object.programs[0].slots.back());
  EXPECT_TRUE(std::holds_alternative<Exit>(object.programs[0].instructions.back()));
  EXPECT_THAT(object.programs[2].attach.kernels,
              ElementsAre("vec_add", "void scale<int, float>(float*)"));
}

// abi/context.h against the header that programs include.
TEST(Object, ContextTableMatchesTheHeader) {
  const Object object = loaded("context_fields");
  const Btf& btf = object.btf;
  std::vector<std::pair<std::string, std::uint32_t>> fields;
  for (std::uint32_t id = 1; id <= btf.count(); ++id) {
    if (btf.type({id}).name != "egpu_ctx") continue;
    EXPECT_EQ(btf.size_of({id}), abi::kContextBytes);
    for (const Member& member : btf.resolve_as<Composite>({id})->members) {
      const auto* const parts = btf.resolve_as<Composite>(member.type);
      if (parts == nullptr) fields.emplace_back(member.name, member.bit_offset / 8);
      for (const Member& part : parts ? parts->members : std::vector<Member>()) {
        fields.emplace_back(member.name + "." + part.name,
                            (member.bit_offset + part.bit_offset) / 8);
      }
    }
  }
  ASSERT_EQ(fields.size(), abi::kContextFieldCount);
  for (const auto& [name, offset] : fields) {
    const auto field = abi::context_field_at(offset);
    EXPECT_EQ(field ? abi::context_field_name(*field) : "no field", name);
  }
}

TEST(Object, RefusesOtherFiles) {
  const auto text = load_object(as_bytes("#include <stdio.h>"), "a.c");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, "this is not an ELF file");
  EXPECT_EQ(text.error().place, "a.c: ELF header");
  EXPECT_NE(text.error().remedy, "");

  const auto self = load_object(*read_file("/proc/self/exe"), "self");
  ASSERT_FALSE(self);
}

TEST(Object, RefusesEveryTruncation) {
  const std::vector<std::byte> whole = compiled("two_programs");
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_FALSE(load_object(Bytes(whole).first(size), "cut.o")) << size;
  }
}

// No byte of an object, changed alone, may do worse than an error.
TEST(Object, SurvivesDamage) {
  const std::vector<std::byte> whole = compiled("count");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::byte> damaged = whole;
    damaged[i] ^= std::byte{0xff};
    const auto object = load_object(damaged, "damaged.o");
    EXPECT_TRUE(object || object.error().fault == Fault::kInput) << i;
  }
}

TEST(AttachPoint, SplitsKernelLists) {
  EXPECT_EQ(*parse_attach_point("gpu/entry:*"), (AttachPoint{.kernels = {"*"}}));
  EXPECT_EQ(*parse_attach_point("gpu/entry:foo*, bar"), (AttachPoint{.kernels = {"foo*", "bar"}}));
  EXPECT_EQ(*parse_attach_point("gpu/entry:void f<int, 3>(float*, int),g"),
            (AttachPoint{.kernels = {"void f<int, 3>(float*, int)", "g"}}));
}

TEST(AttachPoint, KnowsWhereKernelsBeginAndEnd) {
  EXPECT_EQ(*parse_attach_point("gpu/exit:reduce*"),
            (AttachPoint{.event = AttachEvent::kExit, .kernels = {"reduce*"}}));
  EXPECT_EQ(*parse_attach_point("gpu.warp/entry:*"),
            (AttachPoint{.granularity = Granularity::kWarp, .kernels = {"*"}}));
  EXPECT_EQ(*parse_attach_point("gpu.block/exit:a,b;sample=1/64"),
            (AttachPoint{.event = AttachEvent::kExit,
                         .granularity = Granularity::kBlock,
                         .sample = 64,
                         .kernels = {"a", "b"}}));
}

TEST(AttachPoint, RefusesWithAHint) {
  for (const char* section : {"gpu/entry", "gpu/entry:", "gpu/entry:a,,b", "gpu/exits:*",
                              "kprobe/x", "", "gpu/entry:*;sample=64", "gpu/entry:*;sample=1/0",
                              "gpu/entry:*;sample=1/4294967296", "gpu/entry:;sample=1/2"}) {
    const auto attach = parse_attach_point(section);
    ASSERT_FALSE(attach) << section;
    EXPECT_THAT(attach.error().remedy, HasSubstr("SEC(\"gpu/entry:")) << section;
  }
}

}  // namespace
}  // namespace egpu::bpf
