#include "hook/planner.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <ostream>

#include "hook/testdata/prologues.h"

namespace egpu::hook {
namespace {

TEST(Planner, PutsTheJumpWhereItFits) {
  for (const auto& [name, patch_offset] : kSumFunctions) {
    const FunctionPlan plan = plan_of(name);
    EXPECT_STREQ(plan.reason, "") << name;
    EXPECT_STREQ(plan.symbol, name);
    EXPECT_EQ(plan.patch_offset, patch_offset) << name;
    EXPECT_GE(plan.patch_size, 5) << name;
    EXPECT_EQ(plan.expected_size, plan.patch_offset + plan.patch_size) << name;
  }
}

TEST(Planner, UndoesThePrologueOfTheDriver) {
  const FunctionPlan plan = plan_of("sum_driver");
  const std::vector<std::uint8_t> stub(plan.stub, plan.stub + plan.stub_size);
  EXPECT_THAT(stub, testing::ElementsAre(0x48, 0x8d, 0x64, 0x24, 0x08,  // lea 8(%rsp), %rsp
                                         0x41, 0x5c,                    // pop %r12
                                         0x5d));                        // pop %rbp
  EXPECT_EQ(std::memcmp(plan.original, plan.expected, plan.original_size), 0);
  EXPECT_EQ(plan.original_size, 0x14);
  ASSERT_EQ(plan.fixup_count, 1);
  EXPECT_EQ(plan.fixups[0].field_offset, 0xc);  // behind the opcode, before the immediate
  EXPECT_EQ(plan.fixups[0].instruction_end, 0x14);
}

TEST(Planner, UndoesALargeFrame) {
  const FunctionPlan plan = plan_of("sum_many_pushes");
  const std::vector<std::uint8_t> stub(plan.stub, plan.stub + plan.stub_size);
  EXPECT_THAT(stub, testing::ElementsAre(
                        0x48, 0x8d, 0xa4, 0x24, 0x28, 0x01, 0, 0,          // lea 0x128(%rsp), %rsp
                        0x5b, 0x5d,                                        // pop %rbx, %rbp
                        0x41, 0x5c, 0x41, 0x5d, 0x41, 0x5e, 0x41, 0x5f));  // pop %r12 ... %r15
}

struct Declined {
  const char* name;
  const char* reason;
};
std::ostream& operator<<(std::ostream& out, const Declined& declined) {
  return out << declined.name;
}

class DeclinedFunction : public testing::TestWithParam<Declined> {};

TEST_P(DeclinedFunction, SaysWhy) {
  const FunctionPlan plan = plan_of(GetParam().name);
  EXPECT_STREQ(plan.reason, GetParam().reason);
  EXPECT_STREQ(plan.symbol, "");
}

INSTANTIATE_TEST_SUITE_P(
    Planner, DeclinedFunction,
    testing::Values(
        Declined{"too_short", "function is 5 bytes long"},
        Declined{"branch_back", "branch at +0xd goes into the prologue"},
        Declined{"loop_to_start", "branch at +0xb goes into the prologue"},
        Declined{"first_rip_relative",
                 "instruction at +0x0 cannot be undone, and none of 5 bytes is before it"},
        Declined{"call_in_prologue", "call at +0x3 cannot be moved"},
        Declined{"indirect_call_in_prologue", "call at +0x3 cannot be moved"},
        Declined{"crosses_block", "a jump at +0xc would cross a 16-byte block"},
        Declined{"short_branch",
                 "instruction at +0x1 cannot be undone, and none of 5 bytes is before it"},
        Declined{"only_nops", "no instruction of 5 bytes within 48 bytes of the start"},
        Declined{"many_pushes",
                 "instruction at +0x20 cannot be undone, and none of 5 bytes is before it"},
        Declined{"pushes_stack_pointer",
                 "instruction at +0x0 cannot be undone, and none of 5 bytes is before it"},
        Declined{"moves_unsaved_register",
                 "instruction at +0x0 cannot be undone, and none of 5 bytes is before it"},
        Declined{"transaction", "pc-relative instruction at +0x3 cannot be moved"},
        Declined{"eip_relative", "pc-relative instruction at +0x3 cannot be moved"},
        Declined{"ambiguous_field", "pc-relative instruction at +0x3 cannot be moved"},
        Declined{"undecodable", "undecodable instruction at +0xa"},
        Declined{"too_many_prefixes", "undecodable instruction at +0x1"},
        Declined{"no_size", "symbol has no size"},
        Declined{"exported_data", "symbol is no plain function"},
        Declined{"sum_plain", "symbol not exported"},  // hidden
        Declined{"missing", "symbol not exported"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Planner, KeepsTheOrderOfTheNames) {
  const auto plans = plan_hooks(prologues_file(), {"sum_lea", "missing", "sum_load", "sum_lea"});
  ASSERT_TRUE(plans);
  ASSERT_EQ(plans->size(), 4u);
  EXPECT_STREQ((*plans)[0].symbol, "sum_lea");
  EXPECT_STREQ((*plans)[1].symbol, "");
  EXPECT_STREQ((*plans)[2].symbol, "sum_load");
  EXPECT_STREQ((*plans)[3].reason, "another name of a function that is hooked already");
}

TEST(Planner, HooksAFunctionOnceWhateverItsNames) {
  const auto plans = plan_hooks(prologues_file(), {"sum_driver", "another_name"});
  ASSERT_TRUE(plans);
  EXPECT_STREQ((*plans)[0].reason, "");
  EXPECT_STREQ((*plans)[1].reason, "another name of a function that is hooked already");
}

TEST(Planner, LongNamesDoNotFit) {
  EXPECT_STREQ(plan_of(std::string(500, 'x')).reason, "symbol not exported");
}

// A damaged header, one field at a time.
template <class Change>
std::string error_after(Change change) {
  auto file = prologues_file();
  Elf64_Ehdr header{};
  std::memcpy(&header, file.data(), sizeof header);
  change(header);
  std::memcpy(file.data(), &header, sizeof header);
  const auto plans = plan_hooks(file, {"sum_driver"});
  return plans ? plans->front().reason : plans.error().message;
}

TEST(PlannerElf, RefusesWhatIsNoLibrary) {
  EXPECT_EQ(plan_hooks(as_bytes("#!/bin/sh\n"), {"x"}).error().message, "not an ELF file");
  EXPECT_EQ(error_after([](auto& header) { header.e_ident[0] = 0; }), "not an ELF file");
  EXPECT_EQ(error_after([](auto& header) { header.e_machine = EM_AARCH64; }),
            "not an x86-64 ELF file");
  EXPECT_EQ(error_after([](auto& header) { header.e_ident[EI_CLASS] = ELFCLASS32; }),
            "not an x86-64 ELF file");
  EXPECT_EQ(error_after([](auto& header) { header.e_type = ET_REL; }), "not a shared object");
  EXPECT_EQ(error_after([](auto& header) { header.e_shnum = 0; }), "no dynamic symbol table");
  EXPECT_EQ(error_after([](auto& header) { header.e_shoff = ~0ull; }),
            "section headers end outside the file");
  EXPECT_EQ(error_after([](auto& header) { header.e_phoff = ~0ull - 100; }),
            "program headers end outside the file");
  EXPECT_EQ(error_after([](auto& header) { header.e_phnum = 0; }),
            "symbol lies in no executable segment");
}

TEST(PlannerElf, SurvivesEveryTruncation) {
  const auto file = prologues_file();
  for (std::size_t size = 0; size < file.size(); size += 61) {
    const auto plans = plan_hooks(Bytes(file).first(size), {"sum_driver"});
    EXPECT_FALSE(plans && plans->front().reason[0] == '\0')
        << size;  // its section headers are at the end
  }
}

}  // namespace
}  // namespace egpu::hook
