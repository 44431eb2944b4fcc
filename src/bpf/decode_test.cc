#include "bpf/decode.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "bpf/disassemble.h"
#include "bpf/encode.h"
#include "bpf/encoding.h"
#include "bpf/samples.h"

namespace egpu::bpf {
namespace {

using ::testing::HasSubstr;
using testing::Sample;
using testing::samples;

std::string place(std::uint32_t slot) { return fmt::format("slot {}", slot); }

std::vector<std::byte> code(std::initializer_list<RawSlot> slots) {
  const auto bytes = std::as_bytes(std::span(slots.begin(), slots.size()));
  return {bytes.begin(), bytes.end()};
}

constexpr RawSlot kExitSlot{0x95, 0, 0, 0};

Error refusal(std::initializer_list<RawSlot> slots) {
  const auto decoded = decode(code(slots), {}, place);
  EXPECT_FALSE(decoded) << "was accepted";
  return decoded ? Error{} : decoded.error();
}

TEST(Decode, ReadsBackEveryInstruction) {
  std::vector<Instruction> program;
  for (const Sample& sample : samples()) program.push_back(sample.instruction);
  const auto encoded = encode(program);
  ASSERT_TRUE(encoded) << to_string(encoded.error());
  const auto decoded = decode(encoded->code, encoded->references, place);
  ASSERT_TRUE(decoded) << to_string(decoded.error());
  EXPECT_EQ(decoded->instructions, program);
}

TEST(Disassemble, WritesTheKernelsStyle) {
  for (const Sample& sample : samples()) EXPECT_EQ(to_string(sample.instruction), sample.text);
}

// The bytes themselves, so that encoder and decoder cannot agree on a mistake.
TEST(Decode, ReadsWhatClangWrites) {
  const auto decoded = decode(code({{0xb4, 0x01, 0, 0},   // w1 = 0
                                    {0x63, 0x1a, -4, 0},  // *(u32 *)(r10 - 4) = w1
                                    {0x18, 0x02, 0, 5},
                                    {0, 0, 0, 1},           // r2 = 0x100000005 ll
                                    {0xdb, 0x12, 8, 0xf1},  // cmpxchg64(r2 + 8, r0, r1)
                                    {0x16, 0x02, 1, 7},     // if w2 == 7 goto +1
                                    {0x3f, 0x21, 1, 0},     // r1 s/= r2
                                    kExitSlot}),
                              {}, place);
  ASSERT_TRUE(decoded) << to_string(decoded.error());
  const std::vector<Instruction> expected = {
      Mov{Width::k32, kR1, Imm{0}},
      Store{MemSize::k32, kR10, -4, kR1},
      LoadImm64{Imm64Kind::kConstant, kR2, 0x100000005},
      Atomic{AtomicOp::kCompareExchange, true, MemSize::k64, kR2, 8, kR1},
      JumpIf{Condition::kEq, Width::k32, kR2, Imm{7}, 6},
      Alu{AluOp::kSdiv, Width::k64, kR1, kR2},
      Exit{},
  };
  EXPECT_EQ(decoded->instructions, expected);
  EXPECT_EQ(decoded->slots, (std::vector<std::uint32_t>{0, 1, 2, 4, 5, 6, 7}));
}

TEST(Decode, RawCodeHasSubprograms) {
  const auto bytes = code({{0x85, 0x10, 0, 2},  // call +2
                           {0x06, 0, 0, 0},     // gotol +0
                           kExitSlot,
                           {0x85, 0x10, 0, 1},  // call +1
                           kExitSlot,
                           {0x85, 0x10, 0, -5},  // call -5
                           kExitSlot});
  const auto decoded = decode_raw(bytes, place);
  ASSERT_TRUE(decoded) << to_string(decoded.error());
  const std::vector<Instruction> expected = {
      CallSubprogram{3}, Jump{2, true}, Exit{}, CallSubprogram{5}, Exit{},
      CallSubprogram{1}, Exit{}};
  EXPECT_EQ(decoded->instructions, expected);
  const auto encoded = encode(expected);
  ASSERT_TRUE(encoded);
  EXPECT_EQ(encoded->code, bytes);
  EXPECT_EQ(to_string(expected.front()), "call function 3");

  const auto beyond = decode_raw(code({{0x85, 0x10, 0, 5}, kExitSlot}), place);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().message, "the call leaves the program");
}

TEST(Decode, LongJumpsUseTheWideForm) {
  std::vector<Instruction> program(40'000, Mov{Width::k64, kR0, Imm{0}});
  program.front() = Jump{39'999, true};
  program.back() = Exit{};
  const auto encoded = encode(program);
  ASSERT_TRUE(encoded);
  const auto decoded = decode(encoded->code, {}, place);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->instructions.front(), Instruction(Jump{39'999, true}));

  program.front() = Jump{39'999};
  EXPECT_FALSE(encode(program));
  program.front() = JumpIf{Condition::kEq, Width::k64, kR1, Imm{0}, 39'999};
  EXPECT_FALSE(encode(program));
}

TEST(Decode, RefusesByOpcodeAndSlot) {
  struct Case {
    RawSlot slot;
    const char* message;
  };
  const Case cases[] = {
      {{0x20, 0, 0, 0}, "opcode 0x20: legacy packet access"},
      {{0xb7, 0x0b, 0, 0}, "no register above r10"},
      {{0xbf, 0xb0, 0, 0}, "no register above r10"},
      {{0xb7, 0x10, 0, 0}, "reserved field"},                     // mov imm with a source register
      {{0x0f, 0x10, 0, 7}, "reserved field"},                     // add register with an immediate
      {{0x07, 0x00, 3, 7}, "arithmetic operation is not known"},  // add with an offset
      {{0xbc, 0x10, 32, 0}, "form of move"},                      // movsx32 into 32 bits
      {{0xb7, 0x00, 8, 0}, "form of move"},                       // movsx of a constant
      {{0xe7, 0x00, 0, 0}, "arithmetic operation is not known"},
      {{0x87, 0x10, 0, 0}, "reserved field"},
      {{0xd4, 0x00, 0, 24}, "byte swap"},
      {{0xdf, 0x00, 0, 16}, "byte swap"},
      {{0x99, 0x10, 0, 0}, "form of load"},  // 8-byte sign-extending load
      {{0xc2, 0x00, 0, 0}, "form of store"},
      {{0xcb, 0x10, 0, 0}, "4 or 8 bytes"},  // atomic of 2 bytes
      {{0xdb, 0x10, 0, 0x20}, "atomic operation 0x20 is not known"},
      {{0xdb, 0x10, 0, 0x100}, "load-acquire"},
      {{0x85, 0x10, 0, 5}, "the call leads to no function"},
      {{0x85, 0x20, 0, 5}, "BTF ID"},
      {{0x85, 0x30, 0, 5}, "call of kind 3"},
      {{0x8d, 0x10, 0, 0}, "through a register"},
      {{0xe5, 0x00, 0, 0}, "may_goto"},
      {{0xf5, 0x00, 0, 0}, "jump is not known"},
      {{0x86, 0x00, 0, 0}, "jump is not known"},
      {{0x95, 0x00, 0, 1}, "reserved field"},
  };
  for (const Case& test : cases) {
    const Error error = refusal({kExitSlot, test.slot, kExitSlot});
    EXPECT_THAT(error.message, HasSubstr(test.message));
    EXPECT_THAT(error.message, HasSubstr(fmt::format("opcode {:#04x}", test.slot.opcode)));
    EXPECT_EQ(error.place, "slot 1");
  }
}

TEST(Decode, RefusesHalfLoads) {
  EXPECT_THAT(refusal({{0x18, 0, 0, 0}}).message, HasSubstr("cut off"));
  EXPECT_THAT(refusal({{0x18, 0, 0, 0}, kExitSlot, kExitSlot}).message, HasSubstr("second half"));
  EXPECT_THAT(refusal({{0x18, 0x10, 0, 0}, {0, 0, 0, 0}, kExitSlot}).message, HasSubstr("kind 1"));
}

TEST(Decode, RefusesJumpsToNowhere) {
  EXPECT_THAT(refusal({{0x05, 0, 5, 0}, kExitSlot}).message, HasSubstr("leaves its function"));
  EXPECT_THAT(refusal({{0x05, 0, -2, 0}, kExitSlot}).message, HasSubstr("leaves its function"));
  EXPECT_THAT(refusal({{0x06, 0, 0, 0x7fffffff}, kExitSlot}).message,
              HasSubstr("leaves its function"));
  const Error middle = refusal({{0x15, 1, 1, 0}, {0x18, 0, 0, 0}, {0, 0, 0, 0}, kExitSlot});
  EXPECT_THAT(middle.message, HasSubstr("middle of a 16-byte load"));
  EXPECT_EQ(middle.place, "slot 0");
}

TEST(Decode, RefusesCodeThatRunsPastItsEnd) {
  EXPECT_THAT(refusal({kExitSlot, {0xb7, 0, 0, 0}}).message,
              HasSubstr("past its last instruction"));
  EXPECT_THAT(refusal({}).message, HasSubstr("not whole instructions"));
  auto cut = code({kExitSlot});
  cut.pop_back();
  EXPECT_FALSE(decode(cut, {}, place));
}

TEST(Decode, FunctionsOfObjectsAreNamedByReferences) {
  const std::vector<Reference> references = {
      {.slot = 0, .kind = ReferenceKind::kFunction, .index = 7},
      {.slot = 2, .kind = ReferenceKind::kFunction, .index = 9}};
  const auto decoded = decode(
      code({{0x18, 2, 0, 56}, {0, 0, 0, 0}, {0x85, 0x10, 0, -1}, kExitSlot}), references, place);
  ASSERT_TRUE(decoded) << to_string(decoded.error());
  const std::vector<Instruction> expected = {LoadImm64{Imm64Kind::kFunction, kR2, 7},
                                             CallSubprogram{9}, Exit{}};
  EXPECT_EQ(decoded->instructions, expected);
}

TEST(Decode, RawCodeHasAddressesOfFunctions) {
  const auto bytes = code({{0x18, 0x42, 0, 2}, {0, 0, 0, 0}, kExitSlot, kExitSlot});
  const auto decoded = decode_raw(bytes, place);
  ASSERT_TRUE(decoded) << to_string(decoded.error());
  const std::vector<Instruction> expected = {LoadImm64{Imm64Kind::kFunction, kR2, 2}, Exit{},
                                             Exit{}};
  EXPECT_EQ(decoded->instructions, expected);
  const auto encoded = encode(expected);
  ASSERT_TRUE(encoded);
  EXPECT_EQ(encoded->code, bytes);

  const auto beyond =
      decode_raw(code({{0x18, 0x42, 0, 3}, {0, 0, 0, 0}, kExitSlot, kExitSlot}), place);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().message, "the function's address leaves the program");
}

TEST(Decode, RefusesReferencesThatFitNoInstruction) {
  const auto refused = [](std::vector<Reference> references) {
    const auto decoded = decode(
        code({{0x18, 1, 0, 0}, {0, 0, 0, 0}, {0x85, 0x10, 0, -1}, kExitSlot}), references, place);
    EXPECT_FALSE(decoded) << "was accepted";
    return decoded ? Error{} : decoded.error();
  };
  const Reference function{.slot = 2, .kind = ReferenceKind::kFunction};
  const std::vector<Reference> cases[] = {
      {{.slot = 1, .kind = ReferenceKind::kMap}, function},     // half of a load
      {{.slot = 0, .kind = ReferenceKind::kExtern}, function},  // a load
      {function, {.slot = 3, .kind = ReferenceKind::kMap}},     // exit
      {function, {.slot = 9, .kind = ReferenceKind::kMap}},     // nothing
      {function, function},
  };
  for (const auto& references : cases) {
    const Error error = refused(references);
    EXPECT_THAT(error.message, HasSubstr("an instruction that cannot take it"));
    EXPECT_THAT(error.place, HasSubstr("slot "));
  }
}

}  // namespace
}  // namespace egpu::bpf
