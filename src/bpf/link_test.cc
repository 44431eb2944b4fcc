// What load_object() makes of functions, variables and externs: of tests/programs/linking, compiled
// by every clang that is here at every -mcpu, and of tests/programs/linking/refused, which say on
// their first line why not.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "bpf/object.h"
#include "bpf/refused_program.h"
#include "bpf/subprograms.h"

namespace egpu::bpf {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Object loaded(const fs::path& path) {
  const auto bytes = read_file(path);
  EXPECT_TRUE(bytes) << to_string(bytes.error());
  auto object = load_object(bytes.value_or(std::vector<std::byte>()), path.string());
  EXPECT_TRUE(object) << to_string(object.error());
  return object ? *std::move(object) : Object();
}

// "clang-22/v3": each has one folder.
std::vector<std::string> compilers() {
  std::vector<std::string> found;
  const fs::path root = fs::path(EGPU_BINARY_DIR) / "tests/compilers";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() == "data.bpf.o") {
      found.push_back(fs::relative(entry.path().parent_path(), root).string());
    }
  }
  std::ranges::sort(found);
  return found;
}

class Compiler : public ::testing::TestWithParam<std::string> {
 protected:
  static Object compiled(const std::string& name) {
    return loaded(fs::path(EGPU_BINARY_DIR) / "tests/compilers" / GetParam() / (name + ".bpf.o"));
  }
};

std::vector<std::string> function_names(const Program& program) {
  std::vector<std::string> names;
  names.reserve(program.functions.size());
  for (const ProgramFunction& function : program.functions) names.push_back(function.name);
  return names;
}

// The names of what the targets in `range` lead to, each once, in order.
std::vector<std::string> callees(const Program& program, const Subprogram& range) {
  std::vector<std::string> names;
  for (std::uint32_t i = range.first; i < range.end; ++i) {
    const auto target = function_target(program.instructions[i]);
    if (!target) continue;
    const ProgramFunction& callee = program.functions[program.function_of(*target)];
    EXPECT_EQ(callee.range.first, *target);
    if (std::ranges::find(names, callee.name) == names.end()) names.push_back(callee.name);
  }
  return names;
}

TEST_P(Compiler, LinksFunctions) {
  const Object object = compiled("functions");
  ASSERT_EQ(object.programs.size(), 2U);
  const Program& first = object.programs[0];
  EXPECT_EQ(first.name, "first");
  ASSERT_THAT(function_names(first), ElementsAre("first", "add", "triple_twice", "triple"));
  EXPECT_THAT(callees(first, first.functions[0].range), ElementsAre("add", "triple_twice"));
  EXPECT_THAT(callees(first, first.functions[1].range), ElementsAre("triple"));
  EXPECT_THAT(callees(first, first.functions[2].range), ElementsAre("triple"));
  EXPECT_THAT(callees(first, first.functions[3].range), ElementsAre());

  const Program& second = object.programs[1];
  EXPECT_EQ(second.name, "second");
  EXPECT_THAT(function_names(second), ElementsAre("second", "scramble", "triple"));
  EXPECT_THAT(callees(second, second.functions[0].range), ElementsAre("scramble", "triple"));
}

TEST_P(Compiler, KeepsTheLinesOfEveryFunction) {
  const Object object = compiled("functions");
  for (const Program& program : object.programs) {
    ASSERT_EQ(program.slots.size(), program.instructions.size());
    ASSERT_EQ(program.source.size(), program.instructions.size());
    EXPECT_EQ(program.functions.front().range.first, 0U);
    EXPECT_EQ(program.functions.back().range.end, program.instructions.size());
    for (const ProgramFunction& function : program.functions) {
      const auto& line = program.source[function.range.first];
      ASSERT_TRUE(line) << function.name;
      EXPECT_THAT(line->file, HasSubstr("functions.bpf.c"));
      const bool is_triple = function.name == "triple";
      EXPECT_EQ(is_triple, line->line >= 12 && line->line <= 15) << function.name << line->line;
    }
  }
  const Program& first = object.programs[0];
  EXPECT_THAT(first.place(first.functions[3].range.first),
              HasSubstr("program first, function triple, instruction "));
}

TEST_P(Compiler, PlacesVariables) {
  const Object object = compiled("data");
  std::vector<std::string> maps;
  for (const MapDefinition& map : object.maps) {
    maps.push_back(map.name);
    EXPECT_EQ(map.type, MapType::kArray);
    EXPECT_EQ(map.max_entries, 1U);
    EXPECT_EQ(map.initial.size(), map.value_size);
  }
  EXPECT_THAT(maps, ::testing::UnorderedElementsAre(".data", ".data.own", ".bss"));
  EXPECT_EQ(std::ranges::count(object.read_only, ".rodata", &ReadOnlySection::name), 1);
  EXPECT_GE(object.read_only.size(), 2U);  // the string has a section of its own

  for (const MapDefinition& map : object.maps) {
    ASSERT_TRUE(map.value_type) << map.name;
    const auto& section = std::get<DataSection>(object.btf.type(*map.value_type).shape);
    EXPECT_EQ(object.btf.size_of(*map.value_type), map.value_size);
    std::map<std::string, std::uint64_t> values;
    for (const SectionVariable& entry : section.variables) {
      std::uint64_t value = 0;
      std::memcpy(&value, map.initial.data() + entry.offset, std::min<std::size_t>(entry.size, 8));
      values.emplace(object.btf.type(entry.variable).name, value);
    }
    if (map.name == ".data") {
      EXPECT_EQ(values, (std::map<std::string, std::uint64_t>{{"counter", 3}, {"threshold", 9}}));
    } else if (map.name == ".data.own") {
      EXPECT_EQ(values, (std::map<std::string, std::uint64_t>{{"own", 21}}));
    } else {
      EXPECT_EQ(values.at("sums"), 0U);
      EXPECT_EQ(values.at("skipped"), 0U);
    }
  }
}

// Where a 16-byte load points to, as "SECTION+OFFSET".
TEST_P(Compiler, PointsIntoDataSections) {
  const Object object = compiled("data");
  const auto offset_in = [&](std::string_view section, std::string_view variable) {
    for (const SectionVariable& entry : object.btf.find_section(section)->variables) {
      if (object.btf.type(entry.variable).name == variable) return std::uint64_t{entry.offset};
    }
    return ~std::uint64_t{0};
  };
  std::vector<std::string> used;
  for (const Instruction& instruction : object.programs.at(0).instructions) {
    const auto* const load = std::get_if<LoadImm64>(&instruction);
    if (load == nullptr || load->kind == Imm64Kind::kConstant) continue;
    ASSERT_THAT(load->kind, ::testing::AnyOf(Imm64Kind::kMapData, Imm64Kind::kReadOnly));
    used.push_back(fmt::format("{}+{}",
                               load->kind == Imm64Kind::kMapData
                                   ? object.maps.at(load->index).name
                                   : object.read_only.at(load->index).name,
                               load->value));
  }
  for (const char* name : {"limit", "verbose", "label", "local_limit", "sizes", "mode"}) {
    EXPECT_THAT(used, ::testing::Contains(fmt::format(".rodata+{}", offset_in(".rodata", name))))
        << name;
  }
  EXPECT_THAT(used, ::testing::Contains(fmt::format(".bss+{}", offset_in(".bss", "skipped"))));
  EXPECT_THAT(used, ::testing::Contains(fmt::format(".bss+{}", offset_in(".bss", "sums"))));
  EXPECT_THAT(used, ::testing::Contains(fmt::format(".data+{}", offset_in(".data", "threshold"))));
  EXPECT_THAT(used, ::testing::Contains(".data.own+0"));
  EXPECT_THAT(used, ::testing::Contains(HasSubstr(".rodata.str1.1+")));
}

TEST_P(Compiler, ListsExternsOnce) {
  const Object object = compiled("externs");
  EXPECT_THAT(object.externs, ElementsAre("egpu_first", "egpu_second"));
  std::vector<std::string> called;
  std::vector<std::string> maps;
  for (const Instruction& instruction : object.programs.at(0).instructions) {
    const auto* const call = std::get_if<CallExtern>(&instruction);
    if (call != nullptr) called.push_back(object.externs.at(call->function));
    const auto* const load = std::get_if<LoadImm64>(&instruction);
    if (load != nullptr && load->kind == Imm64Kind::kMap) {
      maps.push_back(object.maps.at(load->value).name);
    }
  }
  EXPECT_THAT(called, ElementsAre("egpu_first", "egpu_second", "egpu_first"));
  EXPECT_THAT(maps, ElementsAre("after", "before"));
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name;
  std::ranges::copy_if(info.param, std::back_inserter(name),
                       [](unsigned char c) { return std::isalnum(c) != 0; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(Here, Compiler, ::testing::ValuesIn(compilers()), test_name);

class RefusedByTheLoader : public ::testing::TestWithParam<std::string> {};

TEST_P(RefusedByTheLoader, WithTheMessageAndTheLine) {
  const fs::path folder = "tests/programs/linking/refused";
  const auto bytes = read_file(fs::path(EGPU_BINARY_DIR) / folder / (GetParam() + ".bpf.o"));
  ASSERT_TRUE(bytes) << to_string(bytes.error());
  const auto object = load_object(*bytes, GetParam() + ".bpf.o");
  ASSERT_FALSE(object) << "the object was loaded";
  EXPECT_NE(object.error().remedy, "");
  testing::expect_refusal(fs::path(EGPU_SOURCE_DIR) / folder / (GetParam() + ".bpf.c"),
                          object.error());
}

std::vector<std::string> refused_programs() {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(fs::path(EGPU_SOURCE_DIR) / "tests/programs/linking/refused")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".bpf.c")) names.push_back(name.substr(0, name.size() - 6));
  }
  std::ranges::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Programs, RefusedByTheLoader, ::testing::ValuesIn(refused_programs()),
                         test_name);

}  // namespace
}  // namespace egpu::bpf
