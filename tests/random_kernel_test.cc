// Random kernels in the executor: with probes they compute what they compute without, and every
// thread is counted; those whose threads are independent compute the same in blocks of any shape.
#include "random_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/file.h"
#include "codegen/generate.h"
#include "emu/launch.h"
#include "probed_module.h"
#include "ptx/parser.h"
#include "random_cases.h"
#include "random_program.h"
#include "support/toolkit.h"
#include "verifier/check.h"

namespace egpu {
namespace {

constexpr std::uint64_t kMemory = 1 << 28;
constexpr std::uint64_t kBudget = 1 << 26;

std::uint32_t product(const Extent& extent) { return extent[0] * extent[1] * extent[2]; }
std::uint64_t threads_of(const Extent& grid, const Extent& block) {
  return std::uint64_t{product(grid)} * product(block);
}

// A loaded kernel, and the memory it works in.
class Loaded {
 public:
  static Result<Loaded> original(const RandomKernel& random) {
    Loaded loaded;
    EGPU_ASSIGN(const auto parsed, ptx::parse(random.ptx, "kernel.ptx"));
    EGPU_ASSIGN(loaded.module_, emu::Module::load(parsed, *loaded.memory_));
    EGPU_ASSIGN(loaded.kernel_, loaded.module_->kernel("k"));
    return loaded;
  }

  static Result<Loaded> probed(std::string_view ptx, const bpf::Object& object) {
    Loaded loaded;
    EGPU_ASSIGN(loaded.probed_, ProbedModule::load(ptx, object, *loaded.memory_));
    EGPU_ASSIGN(loaded.kernel_, loaded.probed_->kernel("k"));
    return loaded;
  }

  // What the threads write, followed by what they have in common.
  Result<std::vector<std::byte>> run(const RandomKernel& random, const emu::LaunchConfig& shape) {
    const std::uint64_t threads = threads_of(shape.grid, shape.block);
    const auto input = upload(random.input);
    const auto output = upload(std::vector<std::byte>(threads * random.output_bytes));
    const auto totals = upload(random.totals);
    const std::array<std::byte*, 3> parameters = {input.data(), output.data(), totals.data()};
    emu::LaunchConfig config = shape;
    config.parameters = std::as_bytes(std::span(parameters));
    config.budget = kBudget;
    if (const auto fault = emu::launch(*kernel_, *memory_, {}, config))
      return input_error(to_string(*fault));
    std::vector<std::byte> results(output.begin(), output.end());
    results.insert(results.end(), totals.begin(), totals.end());
    return results;
  }

  const ProbedModule& probes() const { return *probed_; }

 private:
  Loaded() = default;

  std::span<std::byte> upload(Bytes bytes) {
    const std::uint64_t address = memory_->allocate(bytes.size());
    auto* const copy = reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
    std::ranges::copy(bytes, copy);
    return {copy, bytes.size()};
  }

  std::unique_ptr<emu::Memory> memory_ = std::make_unique<emu::Memory>(kMemory);
  std::unique_ptr<emu::Module> module_;
  std::optional<ProbedModule> probed_;
  const emu::Kernel* kernel_ = nullptr;
};

// Calls `compare` with the kernels of seeds, one after the other, as long as none fails. It returns
// whether the kernel was what it is for.
template <class Compare>
void for_random_kernels(std::uint64_t count, Compare compare) {
  const RandomCases cases(count);
  std::uint64_t seed = cases.first_seed();
  std::uint64_t threads = 0;
  std::uint64_t done = 0;
  for (; !cases.enough(done); ++seed) {
    const RandomKernel kernel = make_random_kernel(seed);
    const testing::ScopedTrace trace(__FILE__, __LINE__, fmt::format("seed {}", seed));
    if (!compare(seed, kernel)) continue;
    ++done;
    threads += threads_of(kernel.grid, kernel.block);
    if (testing::Test::HasFailure()) {
      fmt::print("{}", kernel.ptx);
      return;
    }
  }
  fmt::print("{} kernels of {} threads, seeds {} to {}\n", done, threads, cases.first_seed(),
             seed - 1);
}

// The probes of an object that the checker accepts.
std::string generated(const bpf::Object& object) {
  std::vector<verifier::CheckedProgram> checked;
  for (const bpf::Program& program : object.programs) {
    auto result = verifier::check(object, program);
    EXPECT_TRUE(result) << to_string(result.error());
    checked.push_back(*std::move(result));
  }
  auto module = codegen::generate(object, checked);
  EXPECT_TRUE(module) << to_string(module.error());
  return std::move(module->ptx);
}

// Random programs at entry and exit, whose results are nobody's as threads write them at a time,
// and one each that counts threads in a map.
class Probes {
 public:
  explicit Probes(std::uint64_t seed) {
    for (bool accepted = false; !accepted; ++seed) {
      object_ = make_random_program(seed);
      accepted = verifier::check(object_, object_.programs[0]).has_value();
    }
    object_.programs[0].attach.event =
        seed % 2 == 0 ? bpf::AttachEvent::kEntry : bpf::AttachEvent::kExit;
    counters_ = object_.maps.size();
    object_.maps.push_back({.name = "threads",
                            .type = bpf::MapType::kArray,
                            .key_size = 4,
                            .value_size = sizeof(Counts),
                            .max_entries = 1,
                            .key_type = {},
                            .value_type = {}});
    object_.programs.push_back(counting(bpf::AttachEvent::kEntry, offsetof(Counts, begun)));
    object_.programs.push_back(counting(bpf::AttachEvent::kExit, offsetof(Counts, ended)));
    ptx_ = generated(object_);
  }

  const bpf::Object& object() const { return object_; }

  Result<std::string> added_to(const RandomKernel& random) const {
    return add_probes(random.ptx, ptx_, object_);
  }

  struct Counts {
    std::uint64_t begun = 0;
    std::uint64_t ended = 0;
  };
  // Of a module with these probes: how many threads were counted since it was loaded.
  Counts counts(const ProbedModule& module) const {
    Counts threads;
    std::memcpy(&threads, module.map(counters_).data(), sizeof(threads));
    return threads;
  }

 private:
  bpf::Program counting(bpf::AttachEvent event, std::size_t counter) const {
    using namespace bpf;
    Program program;
    program.name = "count";
    program.attach.event = event;
    program.instructions = {
        LoadImm64{Imm64Kind::kMapData, kR1, 0, static_cast<std::uint32_t>(counters_)},
        Mov{Width::k64, kR2, Imm{1}},
        Atomic{AtomicOp::kAdd, false, MemSize::k64, kR1, static_cast<std::int16_t>(counter), kR2},
        Mov{Width::k64, kR0, Imm{0}},
        Exit{},
    };
    program.slots = {0, 1, 2, 3, 4};
    program.source.resize(program.slots.size());
    program.functions = {{.name = "count", .range = {.first = 0, .end = 5}}};
    return program;
  }

  bpf::Object object_;
  std::size_t counters_ = 0;
  std::string ptx_;
};

// Two workers, and all blocks at a time, run threads in other orders.
void expect_probes_change_nothing(const RandomKernel& random, const Probes& probes) {
  auto original = Loaded::original(random);
  ASSERT_TRUE(original) << to_string(original.error());
  const auto expected = original->run(random, {.grid = random.grid, .block = random.block});
  ASSERT_TRUE(expected) << to_string(expected.error());

  const auto ptx = probes.added_to(random);
  ASSERT_TRUE(ptx) << to_string(ptx.error());
  auto probed = Loaded::probed(*ptx, probes.object());
  ASSERT_TRUE(probed) << to_string(probed.error());
  std::uint64_t launched = 0;
  for (const unsigned workers : {1, 2}) {
    const auto results = probed->run(random, {.grid = random.grid,
                                              .block = random.block,
                                              .cooperative = workers == 2,
                                              .workers = workers});
    ASSERT_TRUE(results) << to_string(results.error());
    ASSERT_TRUE(*results == *expected) << "with probes, " << workers << " workers";
    launched += threads_of(random.grid, random.block);
    ASSERT_EQ(probes.counts(probed->probes()).begun, launched);
    ASSERT_EQ(probes.counts(probed->probes()).ended, launched);
  }
}

TEST(RandomKernels, ComputeTheSameWithProbes) {
  constexpr std::uint64_t kKernelsForProbes = 8;  // to compile probes takes longer than to run them
  std::optional<Probes> probes;
  for_random_kernels(400, [&](std::uint64_t seed, const RandomKernel& random) {
    if (!probes || seed % kKernelsForProbes == 0) probes.emplace(seed);
    expect_probes_change_nothing(random, *probes);
    return true;
  });
}

// tests/programs/lifetimes.bpf.c, whose only map has a value of this kind for each kernel.
struct Lifetimes {
  std::uint64_t begun, ended, warps_begun, lanes_begun, groups_ended, lanes_ended, warps_ended,
      blocks_begun, blocks_ended;
};

// Of `launches` launches of the kernel. How many groups end depends on the order of threads.
void expect_all_counted(const Lifetimes& counted, const RandomKernel& random,
                        std::uint64_t launches) {
  constexpr std::uint64_t kWarp = 32;
  const std::uint64_t blocks = launches * product(random.grid);
  const std::uint64_t threads = blocks * product(random.block);
  const std::uint64_t warps = blocks * ((product(random.block) + kWarp - 1) / kWarp);
  EXPECT_EQ(counted.begun, threads);
  EXPECT_EQ(counted.ended, threads);
  EXPECT_EQ(counted.warps_begun, warps);
  EXPECT_EQ(counted.lanes_begun, threads);
  EXPECT_EQ(counted.lanes_ended, threads);
  EXPECT_EQ(counted.warps_ended, warps);
  EXPECT_GE(counted.groups_ended, warps);
  EXPECT_EQ(counted.blocks_begun, blocks);
  EXPECT_EQ(counted.blocks_ended, blocks);
}

TEST(RandomKernels, BeginAndEndOncePerThreadWarpAndBlock) {
  const auto file = read_file(EGPU_BINARY_DIR "/tests/programs/lifetimes.bpf.o");
  ASSERT_TRUE(file) << to_string(file.error());
  const auto object = bpf::load_object(*file, "lifetimes.bpf.o");
  ASSERT_TRUE(object) << to_string(object.error());
  const std::string probes = generated(*object);
  std::uint64_t groups = 0;
  std::uint64_t warps = 0;
  for_random_kernels(200, [&](std::uint64_t seed, const RandomKernel& random) {
    const auto ptx = add_probes(random.ptx, probes, *object);
    EXPECT_TRUE(ptx) << to_string(ptx.error());
    auto probed = Loaded::probed(*ptx, *object);
    EXPECT_TRUE(probed) << to_string(probed.error());
    Lifetimes counted{};
    for (const unsigned workers : {1, 2}) {
      const auto results = probed->run(random, {.grid = random.grid,
                                                .block = random.block,
                                                .cooperative = workers == 2,
                                                .workers = workers,
                                                .schedule_seed = workers == 2 ? 0 : 1 + seed});
      EXPECT_TRUE(results) << to_string(results.error());
      std::memcpy(&counted, probed->probes().map(0).data(), sizeof(counted));
      expect_all_counted(counted, random, workers);
    }
    groups += counted.groups_ended;
    warps += counted.warps_ended;
    return true;
  });
  EXPECT_GT(groups, warps) << "no warp ended in parts";
}

std::uint32_t largest_divisor(std::uint32_t number, std::uint32_t limit) {
  while (number % limit != 0) --limit;
  return limit;
}

void expect_same_in_any_blocks(const RandomKernel& random) {
  auto kernel = Loaded::original(random);
  ASSERT_TRUE(kernel) << to_string(kernel.error());
  const auto expected = kernel->run(random, {.grid = random.grid, .block = random.block});
  ASSERT_TRUE(expected) << to_string(expected.error());
  const std::uint32_t threads = product(random.grid) * product(random.block);
  for (const std::uint32_t block : {1U, largest_divisor(threads, 64)}) {
    const auto results =
        kernel->run(random, {.grid = {threads / block, 1, 1}, .block = {block, 1, 1}});
    ASSERT_TRUE(results) << to_string(results.error());
    ASSERT_TRUE(*results == *expected) << "blocks of " << block;
  }
}

// Operations work on all lanes at a time, on some, or on the only one.
TEST(RandomKernels, ComputeTheSameInBlocksOfAnyShape) {
  for_random_kernels(100, [](std::uint64_t, const RandomKernel& random) {
    if (random.independent) expect_same_in_any_blocks(random);
    return random.independent;
  });
}

// Is what is made well-formed?
TEST(RandomKernels, Assemble) {
  const auto ptxas = toolkit::find_tool("ptxas");
  if (ptxas.empty()) GTEST_SKIP() << "no ptxas on this machine";
  const toolkit::TemporaryFolder folder;
  for_random_kernels(4, [&](std::uint64_t seed, const RandomKernel& random) {
    const auto ptx = Probes(seed).added_to(random);
    EXPECT_TRUE(ptx && write_file(folder / "kernel.ptx", as_bytes(*ptx)));
    const toolkit::Outcome outcome = toolkit::run(
        {ptxas, "-arch", "sm_90", "-O0", "-o", folder / "kernel.cubin", folder / "kernel.ptx"});
    EXPECT_EQ(outcome.status, 0) << outcome.output.substr(0, 4000);
    return true;
  });
}

}  // namespace
}  // namespace egpu
