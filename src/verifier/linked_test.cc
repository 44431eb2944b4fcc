// The checker on linked programs: functions, callbacks, data sections and helpers, each rule with
// what it accepts and what it refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "verifier/assembled.h"
#include "verifier/check.h"

namespace egpu::verifier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::byte> bytes(std::string_view text) {
  const auto data = std::as_bytes(std::span(text));
  return {data.begin(), data.end()};
}

// map[0] counts, map[1] shards, map[2] .bss; rodata[0]: the number 8, then "abc\0", then "tail".
bpf::Object object() {
  bpf::Object object;
  object.maps.push_back({"counts", bpf::MapType::kArray, 4, 16, 8, {}, {}});
  object.maps.push_back({"shards", bpf::MapType::kPercpuArray, 4, 8, 4, {}, {}});
  object.maps.push_back({".bss", bpf::MapType::kArray, 4, 24, 1, {}, {}});
  object.read_only.push_back({".rodata", bytes({"\x08\0\0\0abc\0tail", 12}), 4});
  object.externs = {"egpu_clock", "bpf_task_release"};
  return object;
}

struct Outcome {
  std::vector<InstructionFacts> facts;
  std::vector<std::uint32_t> frame_bytes;
  std::uint32_t stack_bytes = 0;
  std::uint64_t max_instructions = 0;
};

Outcome accepted(const std::string& text, const CheckLimits& limits = {}) {
  const bpf::Object maps = object();
  const bpf::Program code = testing::assembled(text);
  const auto checked = check(maps, code, limits);
  EXPECT_TRUE(checked) << to_string(checked.error()) << "\n" << text;
  if (!checked) return {};
  return {checked->facts, checked->frame_bytes, checked->stack_bytes, checked->max_instructions};
}

Error refused(const std::string& text, const CheckLimits& limits = {}) {
  const bpf::Object maps = object();
  const auto checked = check(maps, testing::assembled(text), limits);
  EXPECT_FALSE(checked) << "was accepted:\n" << text;
  if (checked) return {};
  EXPECT_EQ(checked.error().fault, Fault::kInput) << to_string(checked.error());
  EXPECT_NE(checked.error().place, "");
  return checked.error();
}

std::string message(const std::string& text) { return refused(text).message; }

// ---- functions

TEST(Functions, GetArgumentsAndGiveR0) {
  const Outcome outcome = accepted(
      "r6 = *(u32 *)(r1 +0)\n r1 = 3\n r2 = 4\n call function f\n r0 += r6\n exit\n"
      "f: r0 = r1\n r0 += r2\n exit\n");
  EXPECT_EQ(outcome.max_instructions, 9U);
  EXPECT_EQ(outcome.stack_bytes, 0U);
}

TEST(Functions, ClobberArgumentsAndKeepR6ToR9) {
  EXPECT_THAT(message("r2 = 1\n call function f\n r0 = r2\n exit\n f: r0 = 0\n exit\n"),
              HasSubstr("r2 is not initialised"));
  accepted(
      "r6 = r1\n call function f\n r0 = *(u32 *)(r6 +0)\n exit\n f: r6 = 9\n r0 = r6\n exit\n");
  EXPECT_THAT(message("r6 = 1\n call function f\n exit\n f: r0 = r6\n exit\n"),
              HasSubstr("r6 is not initialised"));
  const Error error = refused("call function f\n r0 = 0\n exit\n f: r0 = r3\n exit\n");
  EXPECT_THAT(error.message, HasSubstr("r3 is not initialised"));
  EXPECT_THAT(error.place, HasSubstr("function f1"));
}

TEST(Functions, MayReturnNothing) {
  accepted("call function f\n r0 = 0\n exit\n f: r2 = 0\n exit\n");
  EXPECT_THAT(message("call function f\n exit\n f: r2 = 0\n exit\n"),
              HasSubstr("r0 is not initialised"));
}

TEST(Functions, KnowWhatEachCallPasses) {
  accepted(
      "r1 = 4\n call function f\n r1 = 8\n call function f\n exit\n"
      "f: r2 = map_data[2] +0\n r2 += r1\n r0 = *(u32 *)(r2 +0)\n exit\n");
  EXPECT_THAT(message("r1 = 4\n call function f\n r1 = 24\n call function f\n exit\n"
                      "f: r2 = map_data[2] +0\n r2 += r1\n r0 = *(u32 *)(r2 +0)\n exit\n"),
              HasSubstr("may be outside the 24 bytes of a value of map .bss"));
}

TEST(Functions, ReachFramesOfTheirCallers) {
  const Outcome outcome = accepted(
      "*(u64 *)(r10 -8) = 1\n r1 = r10\n r1 += -16\n call function f\n r0 = *(u64 *)(r10 -16)\n "
      "exit\n"
      "f: r2 = *(u64 *)(r1 +8)\n *(u64 *)(r1 +0) = r2\n *(u64 *)(r10 -24) = r2\n r0 = 0\n exit\n");
  EXPECT_EQ(outcome.facts[0].region, Region::kStack);
  EXPECT_EQ(outcome.facts[6].region, Region::kGeneric);
  EXPECT_EQ(outcome.facts[7].region, Region::kGeneric);
  EXPECT_EQ(outcome.facts[8].region, Region::kStack);
  EXPECT_EQ(outcome.facts[8].offset, -24);
  EXPECT_THAT(outcome.frame_bytes, ElementsAre(16, 24));
  EXPECT_EQ(outcome.stack_bytes, 40U);
  EXPECT_THAT(message("r1 = r10\n r1 += -16\n call function f\n r0 = *(u64 *)(r10 -16)\n exit\n"
                      "f: r0 = 0\n exit\n"),
              HasSubstr("not initialised"));
}

TEST(Functions, LeaveNoPointersToTheirFrames) {
  const Error error = refused("call function f\n r0 = 0\n exit\n f: r0 = r10\n exit\n");
  EXPECT_THAT(error.message, HasSubstr("stack of the function that returns it"));
  EXPECT_NE(error.remedy, "");
  accepted(
      "r1 = r10\n call function f\n *(u64 *)(r0 -8) = 1\n r0 = 0\n exit\n f: r0 = r1\n exit\n");
  // Left in the caller's frame, it cannot be read.
  EXPECT_THAT(message("r1 = r10\n call function f\n r1 = *(u64 *)(r10 -8)\n r0 = 0\n exit\n"
                      "f: *(u64 *)(r10 -8) = 1\n *(u64 *)(r1 -8) = r10\n r0 = 0\n exit\n"),
              HasSubstr("not initialised"));
}

TEST(Functions, ShareTheStack) {
  accepted(
      "*(u64 *)(r10 -256) = 1\n call function f\n exit\n f: *(u64 *)(r10 -256) = 1\n r0 = 0\n "
      "exit\n");
  const Error error = refused(
      "*(u64 *)(r10 -264) = 1\n call function f\n exit\n"
      "f: *(u64 *)(r10 -256) = 1\n r0 = 0\n exit\n");
  EXPECT_THAT(error.message, HasSubstr("needs 520 bytes of stack"));
  EXPECT_THAT(error.place, HasSubstr("instruction 1"));
}

TEST(Functions, MergePathsWhereTheyReturn) {
  std::string text = "r6 = *(u32 *)(r1 +0)\n";
  for (int i = 0; i < 40; ++i) text += "r1 = r6\n call function f\n";
  text += "r0 = 0\n exit\n f: if r1 > 3 goto big\n r0 = 1\n exit\n big: r0 = 2\n exit\n";
  accepted(text);
}

TEST(Functions, LoopsInsideAreBounded) {
  EXPECT_THAT(message("call function f\n exit\n f: goto f\n"), HasSubstr("infinite loop"));
}

// r1 is 1 or 5, and neither is from 2 to 4, which is noticed at the last comparison alone.
// Generated code has all instructions of the way there, so it needs those to the exit too.
TEST(Functions, ReturnWhereNoBranchCanBeTaken) {
  const Outcome outcome = accepted(
      "r1 = *(u32 *)(r1 +0)\n r1 &= 4\n r1 |= 1\n r0 = 0\n if r1 < 2 goto out\n"
      "if r1 > 4 goto out\n call function f\n out: exit\n"
      "f: r0 = 1\n if r1 > 3 goto end\n r0 = 2\n end: exit\n");
  EXPECT_TRUE(outcome.facts[9].reachable);
  EXPECT_TRUE(outcome.facts[10].reachable);
  EXPECT_TRUE(outcome.facts[11].reachable);
}

// ---- memory by address

TEST(Generic, OneInstructionMayTouchSeveralPlaces) {
  const Outcome outcome = accepted(
      "r6 = *(u32 *)(r1 +0)\n *(u64 *)(r10 -8) = 1\n *(u64 *)(r10 -16) = 2\n r2 = r10\n"
      "if r6 > 3 goto use\n r2 += -8\n use: r0 = *(u64 *)(r2 -8)\n exit\n");
  EXPECT_EQ(outcome.facts[6].region, Region::kGeneric);
  const Outcome kinds = accepted(
      "r6 = *(u32 *)(r1 +0)\n *(u64 *)(r10 -8) = 1\n r2 = r10\n r2 += -8\n"
      "if r6 > 3 goto use\n r2 = map_data[2] +8\n use: r0 = *(u64 *)(r2 +0)\n exit\n");
  EXPECT_EQ(kinds.facts[6].region, Region::kGeneric);
}

TEST(Generic, ReadsTheStackAtABoundedOffset) {
  const std::string head =
      "r6 = *(u32 *)(r1 +0)\n r6 &= 1\n r6 <<= 3\n *(u64 *)(r10 -8) = 1\n r2 = r10\n r2 += -16\n"
      "r2 += r6\n";
  EXPECT_EQ(
      accepted(head + "*(u64 *)(r10 -16) = 2\n r0 = *(u64 *)(r2 +0)\n exit\n").facts[8].region,
      Region::kGeneric);
  EXPECT_THAT(message(head + "r0 = *(u64 *)(r2 +0)\n exit\n"), HasSubstr("not initialised"));
  EXPECT_THAT(message(head + "*(u64 *)(r10 -16) = 2\n r0 = *(u64 *)(r2 +8)\n exit\n"),
              HasSubstr("may be outside the stack"));
  EXPECT_THAT(message(head + "*(u64 *)(r10 -16) = r10\n r0 = *(u64 *)(r2 +0)\n exit\n"),
              HasSubstr("part of a pointer"));
}

TEST(Generic, WritesTheStackAtABoundedOffset) {
  const std::string head =
      "r6 = *(u32 *)(r1 +0)\n r6 &= 1\n r6 <<= 3\n r2 = r10\n r2 += -16\n r2 += r6\n";
  // What may be written is no longer known, and what was not initialised stays so.
  EXPECT_THAT(message(head + "*(u64 *)(r10 -8) = 0\n *(u64 *)(r2 +0) = 9\n r3 = *(u64 *)(r10 -8)\n"
                             "r4 = map_data[2] +0\n r4 += r3\n r0 = *(u8 *)(r4 +0)\n exit\n"),
              HasSubstr("may be outside"));
  EXPECT_THAT(message(head + "*(u64 *)(r2 +0) = 9\n r0 = *(u64 *)(r10 -8)\n exit\n"),
              HasSubstr("not initialised"));
  EXPECT_THAT(message(head + "*(u64 *)(r10 -8) = r10\n *(u64 *)(r2 +0) = 9\n r0 = 0\n exit\n"),
              HasSubstr("may overwrite a pointer"));
  EXPECT_THAT(message(head + "*(u64 *)(r2 +0) = r10\n r0 = 0\n exit\n"),
              HasSubstr("stored somewhere"));
}

// ---- data sections

TEST(Data, VariablesAreMapValues) {
  EXPECT_EQ(accepted("r1 = map_data[2] +8\n *(u64 *)(r1 +0) = 1\n r0 = 0\n exit\n").facts[1].region,
            Region::kMapValue);
  EXPECT_THAT(message("r1 = map_data[2] +24\n r0 = *(u64 *)(r1 +0)\n exit\n"),
              HasSubstr("may be outside the 24 bytes of a value of map .bss"));
}

TEST(Data, ReadOnlyDataIsConstant) {
  const Outcome outcome = accepted(
      "r1 = read_only[0] +0\n r2 = *(u32 *)(r1 +0)\n r0 = 0\n loop: r0 += 1\n"
      "if r0 < r2 goto loop\n exit\n");
  EXPECT_EQ(outcome.facts[1].region, Region::kReadOnly);
  EXPECT_EQ(outcome.max_instructions, 3 + 8 * 2 + 1U);
  const Error error = refused("r1 = read_only[0] +0\n *(u32 *)(r1 +0) = 1\n r0 = 0\n exit\n");
  EXPECT_THAT(error.message, HasSubstr("a pointer into .rodata, which is read only"));
  EXPECT_NE(error.remedy, "");
  EXPECT_THAT(message("r1 = read_only[0] +8\n r0 = *(u32 *)(r1 +4)\n exit\n"),
              HasSubstr("may be outside the 12 bytes of .rodata"));
  EXPECT_THAT(message("r1 = read_only[0] +0\n r0 = *(u64 *)(r1 +0)\n exit\n"),
              HasSubstr("aligned to 4"));
}

// ---- callbacks

// bpf_loop(r1, f, r3, 0) at instruction 4 of the tail, with a callback `body`.
std::string loop(const std::string& head, const std::string& after, const std::string& body) {
  return head + "r2 = function f\n r4 = 0\n call 181\n" + after + "f: " + body;
}

TEST(Callbacks, RunTimesTheirLength) {
  const Outcome outcome =
      accepted(loop("r1 = 100\n r3 = 0\n", "r0 = 0\n exit\n", "r0 = 0\n exit\n"));
  EXPECT_EQ(outcome.max_instructions, 7 + 100 * 3U);
  EXPECT_EQ(outcome.facts[4].callback, 7U);
  EXPECT_THAT(message(loop("r1 = 5000\n r3 = 0\n", "r0 = 0\n exit\n", "r0 = 0\n exit\n")),
              HasSubstr("executes up to 15000 instructions of its callback"));
  const Error error =
      refused(loop("r1 = *(u32 *)(r1 +0)\n r3 = 0\n", "r0 = 0\n exit\n", "r0 = 0\n exit\n"));
  EXPECT_THAT(error.message, HasSubstr("needs an upper bound"));
  EXPECT_THAT(error.remedy, HasSubstr("before the call"));
}

TEST(Callbacks, GetABoundedIndex) {
  const std::string body = "r2 = map_data[2] +0\n r2 += r1\n r3 = *(u8 *)(r2 +0)\n r0 = 0\n exit\n";
  accepted(loop("r1 = 24\n r3 = 0\n", "r0 = 0\n exit\n", body));
  EXPECT_THAT(message(loop("r1 = 25\n r3 = 0\n", "r0 = 0\n exit\n", body)),
              HasSubstr("may be outside"));
}

TEST(Callbacks, ReturnZeroOrOne) {
  accepted(loop("r1 = 2\n r3 = 0\n", "r0 = 0\n exit\n", "r0 = r1\n exit\n"));
  const Error error = refused(loop("r1 = 3\n r3 = 0\n", "r0 = 0\n exit\n", "r0 = r1\n exit\n"));
  EXPECT_THAT(error.message, HasSubstr("a callback returns 0 to go on or 1 to stop"));
  EXPECT_THAT(message(loop("r1 = 3\n r3 = 0\n", "r0 = 0\n exit\n", "r1 = 0\n exit\n")),
              HasSubstr("r0 is not initialised"));
}

// A number in the caller's frame that the callback increments is unknown in later calls.
TEST(Callbacks, SeeWhatEarlierCallsLeft) {
  const std::string head = "*(u64 *)(r10 -8) = 0\n r1 = 8\n r3 = r10\n r3 += -8\n";
  const std::string count = "r3 = *(u64 *)(r2 +0)\n r3 += 1\n *(u64 *)(r2 +0) = r3\n";
  const std::string use = "r4 = map_data[2] +0\n r4 += r3\n r5 = *(u8 *)(r4 +0)\n";
  EXPECT_THAT(message(loop(head, "r0 = 0\n exit\n", count + use + "r0 = 0\n exit\n")),
              HasSubstr("may be outside"));
  accepted(loop(head, "r0 = 0\n exit\n", count + "r3 &= 15\n" + use + "r0 = 0\n exit\n"));
  // The caller does not know it any more either.
  const std::string after = "r3 = *(u64 *)(r10 -8)\n" + use + "r0 = 0\n exit\n";
  EXPECT_THAT(message(loop(head, after, count + "r0 = 0\n exit\n")), HasSubstr("may be outside"));
  accepted(loop(head, after, "r3 = *(u64 *)(r2 +0)\n r0 = 0\n exit\n"));
}

TEST(Callbacks, MakeNothingInitialisedThatMayNotHaveRun) {
  EXPECT_THAT(message(loop("r1 = 8\n r3 = r10\n r3 += -8\n", "r0 = *(u64 *)(r10 -8)\n exit\n",
                           "*(u64 *)(r2 +0) = 1\n r0 = 0\n exit\n")),
              HasSubstr("not initialised"));
  // A pointer that the first call replaces is gone for the second.
  EXPECT_THAT(
      message(loop("*(u64 *)(r10 -8) = r10\n r1 = 8\n r3 = r10\n r3 += -8\n", "r0 = 0\n exit\n",
                   "r3 = *(u64 *)(r2 +0)\n *(u64 *)(r3 -16) = 1\n *(u64 *)(r2 +0) = 1\n"
                   "r0 = 0\n exit\n")),
      HasSubstr("not initialised"));
}

TEST(Callbacks, Nest) {
  const Outcome outcome = accepted(
      "r1 = 10\n r2 = function outer\n r3 = 0\n r4 = 0\n call 181\n r0 = 0\n exit\n"
      "outer: r1 = 10\n r2 = function inner\n r3 = 0\n r4 = 0\n call 181\n r0 = 0\n exit\n"
      "inner: call function one\n r0 = 0\n exit\n"
      "one: r0 = 1\n exit\n");
  EXPECT_EQ(outcome.max_instructions, 7 + 10 * (7 + 10 * (5 + 1) + 1U));
}

TEST(Callbacks, OfMapElementsGetKeyAndValue) {
  const auto each = [](int map, const std::string& body) {
    return fmt::format(
        "*(u64 *)(r10 -8) = 0\n r1 = map[{}]\n r2 = function f\n r3 = r10\n r3 += -8\n r4 = 0\n"
        "call 164\n r0 = 0\n exit\n f: {}\n r0 = 0\n exit\n",
        map, body);
  };
  const Outcome outcome =
      accepted(each(0,
                    "r5 = *(u32 *)(r2 +0)\n r5 = *(u64 *)(r3 +8)\n *(u64 *)(r3 +0) = r5\n"
                    "*(u64 *)(r4 +0) = r5"));
  EXPECT_EQ(outcome.facts[6].map, 0U);
  EXPECT_EQ(outcome.facts[9].region, Region::kGeneric);
  EXPECT_EQ(outcome.facts[10].region, Region::kMapValue);
  EXPECT_EQ(outcome.max_instructions, 9 + 8 * 7U);
  accepted(each(0, "call 1\n"));  // the callback's r1 and r2 are what a look-up takes
  EXPECT_THAT(message(each(0, "*(u32 *)(r2 +0) = 1")),
              HasSubstr("a key of map counts, which is read only"));
  EXPECT_THAT(message(each(0, "r5 = *(u32 *)(r2 +4)")), HasSubstr("outside the 4 bytes of a key"));
  EXPECT_THAT(message(each(1, "*(u64 *)(r3 +0) = 1")), HasSubstr("all warps of an SM share"));
}

TEST(Callbacks, KeepPointersToKeysInTheirOwnFrame) {
  // f stores the pointer to a key of its own; the callback below g stores one that g's frame holds.
  const auto each = [](const std::string& store) {
    return "r1 = map[2]\n r2 = function f\n r3 = 0\n r4 = 0\n call 164\n r0 = 0\n exit\n"
           "f: *(u64 *)(r10 -8) = r2\n r1 = r10\n r1 += -8\n call function g\n"
           "r1 = *(u64 *)(r10 -8)\n r0 = *(u32 *)(r1 +0)\n r0 = 0\n exit\n"
           "g: r3 = r1\n r1 = map[2]\n r2 = function h\n r4 = 0\n call 164\n r0 = 0\n exit\n"
           "h: " +
           store + "r0 = 0\n exit\n";
  };
  accepted(each("*(u64 *)(r10 -8) = r2\n r1 = *(u64 *)(r10 -8)\n r1 = *(u32 *)(r1 +0)\n"));
  const Error error = refused(each("*(u64 *)(r4 +0) = r2\n"));
  EXPECT_THAT(error.message, HasSubstr("r2 is a pointer to a key of map .bss: it may be gone"));
  EXPECT_NE(error.remedy, "");
}

TEST(Callbacks, AreFunctions) {
  EXPECT_THAT(message("r1 = 1\n r2 = 7\n r3 = 0\n r4 = 0\n call 181\n r0 = 0\n exit\n"),
              HasSubstr("r2 is a number (7), not a function"));
  EXPECT_THAT(message(loop("r6 = r1\n r1 = 1\n r3 = r6\n", "r0 = 0\n exit\n", "r0 = 0\n exit\n")),
              HasSubstr("not a pointer to the stack"));
  EXPECT_THAT(message("r1 = 1\n r2 = function f\n r3 = 0\n r4 = 1\n call 181\n r0 = 0\n exit\n"
                      "f: r0 = 0\n exit\n"),
              HasSubstr("r4 is a number (1), not 0"));
  EXPECT_THAT(message("r2 = function f\n r0 = *(u64 *)(r2 +0)\n exit\n f: r0 = 0\n exit\n"),
              HasSubstr("a function: it cannot be used as an address"));
}

TEST(Callbacks, CountAgainstTheCheckersTime) {
  CheckLimits limits;
  limits.visited_instructions = 20;
  EXPECT_THAT(refused(loop("r1 = 8\n r3 = 0\n", "r0 = 0\n exit\n",
                           "r3 = 0\n again: r3 += 1\n if r3 < 9 goto again\n r0 = 0\n exit\n"),
                      limits)
                  .message,
              HasSubstr("too many paths"));
}

// ---- helpers

TEST(Helpers, GiveNumbers) {
  accepted("call 5\n exit\n");
  // bpf_get_smp_processor_id has 32 bits.
  accepted("call 8\n r0 >>= 32\n r1 = map_data[2] +0\n r1 += r0\n r0 = *(u8 *)(r1 +23)\n exit\n");
  EXPECT_THAT(message("call 14\n r0 >>= 32\n r1 = map_data[2] +0\n r1 += r0\n"
                      "r0 = *(u8 *)(r1 +23)\n exit\n"),
              HasSubstr("may be outside"));
}

TEST(Helpers, WriteTheStack) {
  const std::string comm = "r1 = r10\n r1 += -16\n r2 = 16\n call 16\n";
  accepted(comm + "r0 = *(u64 *)(r10 -8)\n exit\n");
  EXPECT_THAT(message("r1 = r10\n r1 += -8\n r2 = 16\n call 16\n r0 = 0\n exit\n"),
              HasSubstr("outside the stack"));
  EXPECT_THAT(message("r1 = r10\n r1 += -16\n r2 = 0\n call 16\n r0 = 0\n exit\n"),
              HasSubstr("a size of 1 or more"));
  EXPECT_THAT(
      message("r2 = *(u32 *)(r1 +0)\n r2 <<= 32\n r2 |= 1\n r1 = r10\n r1 += -16\n call 16\n"
              "r0 = 0\n exit\n"),
      HasSubstr("a size with a known upper bound"));
  // Half of a pointer is no number.
  EXPECT_THAT(message("*(u64 *)(r10 -8) = r10\n r1 = r10\n r1 += -8\n r2 = 4\n call 16\n"
                      "r0 = *(u32 *)(r10 -4)\n exit\n"),
              HasSubstr("not initialised"));
  accepted("r1 = map_data[2] +8\n r2 = 16\n call 16\n r0 = 0\n exit\n");
  EXPECT_THAT(message("r1 = map_data[2] +9\n r2 = 16\n call 16\n r0 = 0\n exit\n"),
              HasSubstr("may be outside"));
  EXPECT_THAT(message("r1 = read_only[0] +0\n r2 = 8\n call 16\n r0 = 0\n exit\n"),
              HasSubstr("read only"));
}

TEST(Helpers, WriteAsMuchAsTheSizeSays) {
  const std::string call =
      "r2 = *(u32 *)(r1 +0)\n r2 &= 7\n r2 += 1\n r1 = r10\n r1 += -8\n call 16\n";
  accepted(call + "r0 = *(u8 *)(r10 -8)\n exit\n");
  EXPECT_THAT(message(call + "r0 = *(u16 *)(r10 -8)\n exit\n"), HasSubstr("not initialised"));
  EXPECT_THAT(message("*(u64 *)(r10 -8) = r10\n" + call + "r0 = 0\n exit\n"),
              HasSubstr("may overwrite a pointer"));
}

TEST(Helpers, ReadMemoryAndText) {
  const std::string compare = "call 182\n r0 = 0\n exit\n";
  accepted("*(u64 *)(r10 -8) = 0\n r1 = r10\n r1 += -8\n r2 = 8\n r3 = read_only[0] +4\n" +
           compare);
  accepted("r1 = read_only[0] +0\n r2 = 12\n r3 = read_only[0] +4\n" + compare);
  EXPECT_THAT(message("r1 = r10\n r1 += -8\n r2 = 8\n r3 = read_only[0] +4\n" + compare),
              HasSubstr("8 bytes of the stack at r10 -8 are not initialised"));
  EXPECT_THAT(message("r1 = read_only[0] +0\n r2 = 13\n r3 = read_only[0] +4\n" + compare),
              HasSubstr("may be outside the 12 bytes of .rodata"));
  for (const char* const text : {"read_only[0] +8", "read_only[0] +12", "map_data[2] +0"}) {
    EXPECT_THAT(message(fmt::format("r1 = read_only[0] +0\n r2 = 4\n r3 = {}\n", text) + compare),
                HasSubstr("not a constant string that ends with a NUL"));
  }
}

TEST(Helpers, MayLeaveTheLastValuesOut) {
  const std::string format = "r1 = read_only[0] +4\n r2 = 4\n";
  const std::string leave = "call 6\n r0 = 0\n exit\n";
  accepted(format + "r3 = 0\n r4 = 0\n r5 = 0\n" + leave);
  accepted(format + leave);
  EXPECT_THAT(message(format + "r3 = r10\n" + leave), HasSubstr("not a number"));
}

TEST(Helpers, AreAlsoCalledByName) {
  accepted("call extern 0\n exit\n");
  const Error error = refused("call extern 1\n exit\n");
  EXPECT_THAT(error.message, HasSubstr("there is no function bpf_task_release"));
  EXPECT_THAT(error.remedy, HasSubstr("egpu_clock"));
}

// ---- code without 32-bit instructions

TEST(Extension, KeepsTheNumber) {
  const std::string head = "r1 = *(u32 *)(r1 +0)\n r2 = r1\n r2 <<= 32\n";
  const std::string use =
      "if r2 > 23 goto out\n r3 = map_data[2] +0\n r3 += r1\n r0 = *(u8 *)(r3 +0)\n exit\n"
      "out: r0 = 0\n exit\n";
  accepted(head + "r2 >>= 32\n" + use);
  // Sign extension may change a number that does not fit.
  EXPECT_THAT(message(head + "r2 s>>= 32\n" + use), HasSubstr("may be outside"));
  // What was compared after one way back holds after the other.
  const std::string twice =
      "r1 = *(u32 *)(r1 +0)\n r1 += -100\n r1 <<= 32\n r2 = r1\n r2 >>= 32\n if r2 > {} goto out\n"
      "r1 s>>= 32\n r3 = map_data[2] +0\n r3 += r1\n r0 = *(u8 *)(r3 +0)\n exit\n"
      "out: r0 = 0\n exit\n";
  accepted(fmt::format(fmt::runtime(twice), 23));
  EXPECT_THAT(message(fmt::format(fmt::runtime(twice), 24)), HasSubstr("may be outside"));
  EXPECT_THAT(message(head + "r1 += 1\n r2 >>= 32\n" + use), HasSubstr("may be outside"));
}

}  // namespace
}  // namespace egpu::verifier
