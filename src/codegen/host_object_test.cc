#include "codegen/host_object.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/file.h"
#include "codegen/test_support.h"
#include "verifier/helpers.h"

namespace egpu::codegen {
namespace {

using namespace testing;
using abi::ContextField;
using ::testing::ElementsAre;
using verifier::HelperId;

HostObject compiled(const Input& input, TraceSink trace = {},
                    Optimization optimization = Optimization::kFull) {
  const HandMade made(input);
  auto object = jit(made.object, made.checked, optimization, std::move(trace));
  EXPECT_TRUE(object) << to_string(object.error());
  return *std::move(object);
}

std::vector<std::uint64_t> numbers(std::span<const std::byte> bytes, std::size_t count) {
  std::vector<std::uint64_t> result(count);
  std::memcpy(result.data(), bytes.data(), 8 * count);
  return result;
}

bpf::CallHelper helper(HelperId id) { return {static_cast<std::int32_t>(id)}; }

// r0 of a program that calls the helper with what `before` put into the registers.
std::uint64_t result_of(const Steps& steps) {
  return compiled({.maps = {}, .programs = {steps + Steps{bpf::Exit{}}}, .options = {}}).run(0, {});
}

// A program of tests/programs, by way of loader and checker.
class Computed : public ::testing::TestWithParam<Optimization> {
 protected:
  void SetUp() override {
    const auto bytes =
        read_file(std::filesystem::path(EGPU_BINARY_DIR) / "tests/programs/computed.bpf.o");
    ASSERT_TRUE(bytes) << to_string(bytes.error());
    auto loaded = bpf::load_object(*bytes, "computed.bpf.o");
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    object = *std::move(loaded);
    const auto checked = verifier::check(object, object.programs.at(0));
    ASSERT_TRUE(checked) << to_string(checked.error());
    auto code = jit(object, {*checked}, GetParam());
    ASSERT_TRUE(code) << to_string(code.error());
    host.emplace(*std::move(code));
  }

  [[nodiscard]] std::vector<std::uint64_t> map(std::string_view name, std::size_t count) const {
    for (std::size_t i = 0; i < object.maps.size(); ++i)
      if (object.maps[i].name == name) return numbers(host->map(i), count);
    ADD_FAILURE() << "no map " << name;
    return {};
  }

  bpf::Object object;
  std::optional<HostObject> host;
};

TEST_P(Computed, FunctionsCallbacksAndVariables) {
  ContextValues context;
  context[ContextField::kLaneId] = 5;
  context[ContextField::kSiteId] = 42;
  // 0 + ... + 4 = 10, stopped in the 6th call; the element of key 2 stops the other loop.
  EXPECT_EQ(host->run(0, context), 60'342U);
  EXPECT_THAT(map("values", 4), ElementsAre(10, 30, 50, 0));
  EXPECT_THAT(map(".data", 1), ElementsAre(101));
  EXPECT_THAT(map(".bss", 1), ElementsAre(10));

  context[ContextField::kLaneId] = 31;  // 0 + ... + 9 = 45, all 10 calls
  EXPECT_EQ(host->run(0, context), 100'342U);
  EXPECT_THAT(map("values", 4), ElementsAre(55, 165, 275, 0));
  EXPECT_THAT(map(".data", 1), ElementsAre(102));
}

INSTANTIATE_TEST_SUITE_P(Optimizations, Computed,
                         ::testing::Values(Optimization::kFull, Optimization::kNone));

TEST(HostObject, ReadsEveryFieldOfTheContext) {
  for (std::size_t field = 0; field < abi::kContextFieldCount; ++field) {
    const auto offset =
        static_cast<std::int16_t>(abi::context_offset(static_cast<ContextField>(field)));
    const HostObject object =
        compiled({.maps = {},
                  .programs = {Steps{{bpf::Load{MemSize::k32, false, Reg{0}, Reg{1}, offset},
                                      Region::kContext, offset},
                                     bpf::Exit{}}},
                  .options = {}});
    ContextValues context;
    context.fields[field] = 0xfedcba98;
    EXPECT_EQ(object.run(0, context), 0xfedcba98);
  }
}

TEST(HostObject, LookupIsNullBehindTheEnd) {
  const Steps store{{bpf::Store{MemSize::k64, Reg{0}, 0, Imm{7}}, Region::kMapValue}};
  const HostObject object =
      compiled({.maps = {array_map(8, 4, bpf::MapType::kPercpuArray)},
                .programs = {lookup(0, 3) + store + leave(), lookup(0, 4) + store + leave()},
                .options = {}});
  object.run(1, {});
  EXPECT_THAT(numbers(object.map(0), 4), ElementsAre(0, 0, 0, 0));
  object.run(0, {});
  EXPECT_THAT(numbers(object.map(0), 4), ElementsAre(0, 0, 0, 7));
}

TEST(HostObject, AtomicsAreAtomic) {
  const Steps add{bpf::Mov{Width::k64, Reg{3}, Imm{1}},
                  {bpf::Atomic{bpf::AtomicOp::kAdd, false, MemSize::k64, Reg{0}, 0, Reg{3}},
                   Region::kMapValue}};
  const HostObject object = compiled(
      {.maps = {array_map(8, 1)}, .programs = {lookup(0, 0) + add + leave()}, .options = {}});
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int run = 0; run < 50'000; ++run) object.run(0, {});
      });
  }
  EXPECT_THAT(numbers(object.map(0), 1), ElementsAre(200'000));
}

TEST(HostObject, HelpersAskTheMachine) {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const auto now = static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000;
  const std::uint64_t ktime = result_of({helper(HelperId::kKtimeGetNs)});
  EXPECT_GE(ktime, now);
  EXPECT_LT(ktime, now + 60'000'000'000);
  EXPECT_EQ(result_of({helper(HelperId::kGetCurrentPidTgid)}),
            static_cast<std::uint64_t>(::getpid()) << 32 | static_cast<std::uint32_t>(::gettid()));
  EXPECT_NE(result_of({helper(HelperId::kGetPrandomU32)}),
            result_of({helper(HelperId::kGetPrandomU32)}));
  EXPECT_LT(result_of({helper(HelperId::kGetSmpProcessorId)}), 65'536U);
}

TEST(HostObject, CommandIsCutToTheBuffer) {
  char name[16] = {};
  ::prctl(PR_GET_NAME, name);
  ::prctl(PR_SET_NAME, "0123456789");
  const std::uint64_t first_half =
      result_of({bpf::Mov{Width::k64, Reg{1}, Reg{10}},
                 bpf::Alu{bpf::AluOp::kAdd, Width::k64, Reg{1}, Imm{-8}},
                 bpf::Mov{Width::k64, Reg{2}, Imm{8}},
                 helper(HelperId::kGetCurrentComm),
                 {bpf::Load{MemSize::k64, false, Reg{0}, Reg{10}, -8}, Region::kStack, -8}});
  ::prctl(PR_SET_NAME, name);
  std::uint64_t expected = 0;
  std::memcpy(&expected, "0123456", 8);
  EXPECT_EQ(first_half, expected);
}

Input with_text(const Steps& steps, std::string_view text) {
  Input input{.maps = {}, .programs = {steps + Steps{bpf::Exit{}}}, .options = {}};
  const auto bytes = std::as_bytes(std::span(text));
  input.read_only = {{.name = ".rodata", .bytes = {bytes.begin(), bytes.end()}}};
  return input;
}

Step text_address(std::uint8_t reg, std::uint64_t offset) {
  return bpf::LoadImm64{bpf::Imm64Kind::kReadOnly, Reg{reg}, offset, 0};
}

TEST(HostObject, StrncmpGivesTheSign) {
  using namespace std::string_view_literals;
  const auto compare = [](std::uint64_t left, int size, std::uint64_t right) {
    return static_cast<std::int64_t>(
        compiled(with_text({text_address(1, left), bpf::Mov{Width::k64, Reg{2}, Imm{size}},
                            text_address(3, right), helper(HelperId::kStrncmp)},
                           "abc\0abd\0\xff\0"sv))
            .run(0, {}));
  };
  EXPECT_EQ(compare(0, 3, 4), -1);
  EXPECT_EQ(compare(4, 3, 0), 1);
  EXPECT_EQ(compare(0, 2, 4), 0) << "as far as the size";
  EXPECT_EQ(compare(0, 4, 0), 0);
  EXPECT_EQ(compare(8, 1, 0), 1) << "bytes have no sign";
}

TEST(HostObject, TraceWritesLinesToTheSink) {
  using namespace std::string_view_literals;
  const auto trace = [](std::string_view format) {
    std::vector<std::string> lines;
    const HostObject object = compiled(
        with_text(
            {text_address(1, 0), bpf::Mov{Width::k64, Reg{2}, Imm{static_cast<int>(format.size())}},
             bpf::Mov{Width::k64, Reg{3}, Imm{-1}}, bpf::Mov{Width::k64, Reg{4}, Imm{31}},
             bpf::Mov{Width::k64, Reg{5}, Imm{0}}, helper(HelperId::kTracePrintk)},
            format),
        [&](std::string_view line) { lines.emplace_back(line); });
    const auto result = static_cast<std::int64_t>(object.run(0, {}));
    return std::pair(result, lines);
  };
  EXPECT_EQ(trace("%ld %x\0"sv), std::pair(std::int64_t{5}, std::vector<std::string>{"-1 1f"}));
  EXPECT_EQ(trace("%s\0"sv).first, -22);
  EXPECT_EQ(trace("no end"sv).first, -22);
  EXPECT_THAT(trace("%s\0"sv).second, ::testing::IsEmpty());
}

TEST(HostObject, ExternsAreCalledByName) {
  Input input{
      .maps = {},
      .programs = {Steps{bpf::CallExtern{0}, bpf::Exit{}}, Steps{bpf::CallExtern{1}, bpf::Exit{}}},
      .options = {}};
  input.externs = {"egpu_clock", "egpu_grid_id"};
  const HostObject object = compiled(input);
  const std::uint64_t before = object.run(0, {});
  EXPECT_LT(before, object.run(0, {}));
  EXPECT_EQ(object.run(1, {}), 0U);
}

TEST(HostObject, LogarithmsAreThoseOfTheHighestBit) {
  const auto log2_of = [](std::uint64_t number) {
    Input input{.maps = {},
                .programs = {Steps{bpf::LoadImm64{bpf::Imm64Kind::kConstant, Reg{1}, number},
                                   bpf::CallExtern{0}, bpf::Exit{}}},
                .options = {}};
    input.externs = {"egpu_log2"};
    return compiled(input).run(0, {});
  };
  EXPECT_EQ(log2_of(0), 0U);
  EXPECT_EQ(log2_of(1), 0U);
  EXPECT_EQ(log2_of(2), 1U);
  EXPECT_EQ(log2_of(3), 1U);
  EXPECT_EQ(log2_of(1ULL << 32), 32U);
  EXPECT_EQ(log2_of(~0ULL), 63U);
}

TEST(HostObject, WithoutMemoryForAMapFails) {
  const HandMade made({.maps = {array_map(1U << 20, 16U << 20)}, .programs = {}, .options = {}});
  auto huge = made.object;
  huge.maps.resize(64, huge.maps[0]);
  const auto object = jit(huge, {});
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().fault, Fault::kInput);
  EXPECT_FALSE(object.error().remedy.empty());
}

}  // namespace
}  // namespace egpu::codegen
