// Ring buffers under many writers: the records of tests/rings/writer.bpf.c, written by generated
// code in the emulator and by the host JIT on several threads, while a reader drains the rings or
// is dead. No record is torn, lost or there twice, and all that found no room are counted.
//   EGPU_RING_ROUNDS=N   how often each thread fires (24)
//   EGPU_RING_SEEDS=N    how many different runs (3)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <thread>

#include "abi/probe_table.h"
#include "base/file.h"
#include "codegen/generate.h"
#include "codegen/host_object.h"
#include "emu/launch.h"
#include "emu/module.h"
#include "ptx/parser.h"
#include "ring_reader.h"
#include "verifier/check.h"

namespace egpu::testing {
namespace {

constexpr std::uint32_t kRingBytes = 4096;  // of the program's map
constexpr std::uint32_t kThreads = 96;      // of a block
constexpr std::uint32_t kBlocks = 12;

unsigned setting(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

struct Program {
  bpf::Object object;
  std::vector<verifier::CheckedProgram> checked;
  std::size_t ring = 0;      // indexes of its maps
  std::size_t counters = 0;  // taken, discarded, refused in the order of their symbols
};

Result<std::unique_ptr<Program>> load_program() {
  auto program = std::make_unique<Program>();
  EGPU_ASSIGN(const auto bytes, read_file(EGPU_BINARY_DIR "/tests/rings/writer.bpf.o"));
  EGPU_ASSIGN(program->object, bpf::load_object(bytes, "writer.bpf.o"));
  EGPU_ASSIGN(program->checked.emplace_back(),
              verifier::check(program->object, program->object.programs.at(0)));
  for (std::size_t i = 0; i < program->object.maps.size(); ++i)
    (program->object.maps[i].type == bpf::MapType::kRingbuf ? program->ring : program->counters) =
        i;
  return program;
}

struct Counters {
  std::uint64_t taken = 0;
  std::uint64_t discarded = 0;
  std::uint64_t refused = 0;
};

Counters counters_of(const Program& program, const std::byte* section) {
  Counters counters;
  const bpf::Btf& btf = program.object.btf;
  const bpf::MapDefinition& map = program.object.maps[program.counters];
  for (const auto& place : btf.resolve_as<bpf::DataSection>(*map.value_type)->variables) {
    const std::string& name = btf.type(place.variable).name;
    std::uint64_t& number = name == "taken"       ? counters.taken
                            : name == "discarded" ? counters.discarded
                                                  : counters.refused;
    std::memcpy(&number, section + place.offset, sizeof number);
  }
  return counters;
}

// Checks each record against what the program writes.
class Checker {
 public:
  explicit Checker(std::uint32_t rounds) : rounds_(rounds) {}

  void operator()(Bytes record) {
    std::vector<std::uint32_t> words(record.size() / 4);
    std::memcpy(words.data(), record.data(), words.size() * 4);
    ++records_;
    if (words.size() < 3 || words[2] != record.size() || words[1] >= rounds_) {
      ++torn_;
      return;
    }
    for (std::uint32_t i = 3; i < words.size(); ++i)
      if (words[i] != (words[0] * 2654435761U ^ words[1] * 40503U ^ i * 97U)) {
        ++torn_;
        return;
      }
    if (!seen_.insert(std::uint64_t{words[0]} * rounds_ + words[1]).second) ++repeated_;
  }

  void expect(const Counters& counters, const RingReader& reader, std::uint64_t fired) const {
    EXPECT_EQ(torn_, 0U);
    EXPECT_EQ(repeated_, 0U);
    EXPECT_EQ(reader.damages(), 0U);
    EXPECT_EQ(records_, counters.taken);
    EXPECT_EQ(reader.dropped(), counters.refused);
    EXPECT_EQ(counters.taken + counters.discarded + counters.refused, fired);
  }

 private:
  std::uint32_t rounds_;
  std::uint64_t records_ = 0;
  std::uint64_t torn_ = 0;
  std::uint64_t repeated_ = 0;
  std::set<std::uint64_t> seen_;
};

// Drains on a thread of its own until all that writes has ended.
class Drainer {
 public:
  Drainer(RingReader& reader, Checker& checker)
      : thread_([&](const std::stop_token& stop) {
          while (!stop.stop_requested())
            if (reader.drain(std::ref(checker)) == 0) std::this_thread::yield();
        }) {}

 private:
  std::jthread thread_;
};

// Fires the program `rounds` times in each thread.
std::string caller() {
  return ".visible .entry k(.param .u32 rounds, .param .u32 seed)\n{\n.reg .b32 %r<4>;\n.reg .pred "
         "%p;\nld.param.u32 %r1, [rounds];\nld.param.u32 %r2, [seed];\nmov.u32 %r3, 0;\nAGAIN:\n{\n"
         ".param .b32 kernel;\n.param .b32 site;\nst.param.b32 [kernel], %r2;\nst.param.b32 "
         "[site], "
         "%r3;\ncall " +
         codegen::probe_function_name(0) +
         ", (kernel, site);\n}\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p, %r3, %r1;\n@%p bra AGAIN;\n"
         "ret;\n}\n";
}

// The program's code and maps in the emulator.
class Emulated {
 public:
  explicit Emulated(const Program& program, std::uint32_t shards) : shards_(shards) {
    if (auto loaded = load(program); !loaded) ADD_FAILURE() << to_string(loaded.error());
  }

  [[nodiscard]] std::byte* map(std::size_t index) const {
    return reinterpret_cast<std::byte*>(addresses_[index]);  // NOLINT(performance-no-int-to-ptr)
  }

  void run(std::uint32_t rounds, std::uint32_t seed, std::uint32_t blocks = kBlocks,
           std::uint32_t threads = kThreads) {
    const std::uint32_t parameters[] = {rounds, seed};
    emu::LaunchConfig config{.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
    config.parameters = std::as_bytes(std::span(parameters));
    config.workers = 3;
    const auto fault = emu::launch(*kernel_, memory_, {.multiprocessors = shards_}, config);
    EXPECT_FALSE(fault) << emu::to_string(*fault);
  }

 private:
  Result<void> load(const Program& program) {
    EGPU_ASSIGN(const auto generated,
                codegen::generate(program.object, program.checked, {codegen::TableSpace::kGlobal}));
    EGPU_ASSIGN(const ptx::Module parsed, ptx::parse(generated.ptx + caller(), "writer.ptx"));
    EGPU_ASSIGN(module_, emu::Module::load(parsed, memory_));
    EGPU_ASSIGN(kernel_, module_->kernel("k"));
    const abi::ProbeTableHeader header{.shards = shards_, .process_id = 1, .command = {}};
    auto* const table = reinterpret_cast<std::byte*>(  // NOLINT(performance-no-int-to-ptr)
        module_->variable(abi::kProbeTableSymbol)->address);
    std::memcpy(table, &header, sizeof header);
    for (const bpf::MapDefinition& map : program.object.maps)
      addresses_.push_back(memory_.allocate(map.type == bpf::MapType::kRingbuf
                                                ? abi::ring_map_bytes(map.max_entries, shards_)
                                                : map.value_size));
    std::memcpy(table + sizeof header, addresses_.data(), 8 * addresses_.size());
    return {};
  }

  std::uint32_t shards_;
  emu::Memory memory_{std::uint64_t{1} << 30};
  std::unique_ptr<emu::Module> module_;
  const emu::Kernel* kernel_ = nullptr;
  std::vector<std::uint64_t> addresses_;
};

class Rings : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = load_program();
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    program_ = *std::move(loaded);
  }
  const Program& program() const { return *program_; }

  const unsigned rounds_ = setting("EGPU_RING_ROUNDS", 24);
  const unsigned seeds_ = setting("EGPU_RING_SEEDS", 3);

 private:
  std::unique_ptr<Program> program_;
};

constexpr std::uint64_t kWriters = std::uint64_t{kBlocks} * kThreads;

TEST_F(Rings, EmulatedWritersAndAReader) {
  for (unsigned seed = 1; seed <= seeds_; ++seed) {
    for (const std::uint32_t shards : {1U, 2U, 5U}) {
      SCOPED_TRACE(fmt::format("seed {}, {} shards", seed, shards));
      Emulated emulated(program(), shards);
      RingReader reader(emulated.map(program().ring), shards, kRingBytes);
      Checker checker(rounds_);
      {
        const Drainer drainer(reader, checker);
        emulated.run(rounds_, seed);
      }
      while (reader.drain(std::ref(checker)) != 0) continue;
      checker.expect(counters_of(program(), emulated.map(program().counters)), reader,
                     kWriters * rounds_);
    }
  }
}

TEST_F(Rings, EmulatedWritersWithoutAReaderDropTheRest) {
  Emulated emulated(program(), 2);
  RingReader reader(emulated.map(program().ring), 2, kRingBytes);
  Checker checker(rounds_);
  emulated.run(rounds_, 7);
  while (reader.drain(std::ref(checker)) != 0) continue;
  const Counters counters = counters_of(program(), emulated.map(program().counters));
  checker.expect(counters, reader, kWriters * rounds_);
  EXPECT_GT(counters.taken, 10U);
  EXPECT_GT(counters.refused, kWriters * rounds_ / 2);
}

TEST_F(Rings, ThreadsOfTheHostAndAReader) {
  constexpr std::uint32_t kHostThreads = 4;
  const std::uint32_t rounds = 200 * rounds_;
  for (const bool reads : {true, false}) {
    SCOPED_TRACE(reads ? "with a reader" : "without a reader");
    auto code = codegen::jit(program().object, program().checked);
    ASSERT_TRUE(code) << to_string(code.error());
    RingReader reader(code->map(program().ring).data(), 1, kRingBytes);
    Checker checker(rounds);
    {
      std::optional<Drainer> drainer;
      if (reads) drainer.emplace(reader, checker);
      std::vector<std::jthread> threads;
      threads.reserve(kHostThreads);
      for (std::uint32_t thread = 0; thread < kHostThreads; ++thread)
        threads.emplace_back([&, thread] {
          codegen::ContextValues context;
          context[abi::ContextField::kThreadIdxX] = thread;
          for (std::uint32_t round = 0; round < rounds; ++round) {
            context[abi::ContextField::kSiteId] = round;
            code->run(0, context);
          }
        });
    }
    while (reader.drain(std::ref(checker)) != 0) continue;
    checker.expect(counters_of(program(), code->map(program().counters).data()), reader,
                   std::uint64_t{kHostThreads} * rounds);
  }
}

TEST_F(Rings, EmulatorAndHostLeaveTheSameRecords) {
  using Records = std::vector<std::vector<std::byte>>;
  const auto records_of = [&](std::byte* ring) {
    Records records;
    RingReader reader(ring, 1, kRingBytes);
    reader.drain([&](Bytes record) { records.emplace_back(record.begin(), record.end()); });
    return records;
  };
  Emulated emulated(program(), 1);
  emulated.run(rounds_, 0, 1, 1);
  auto code = codegen::jit(program().object, program().checked);
  ASSERT_TRUE(code) << to_string(code.error());
  codegen::ContextValues context;
  context[abi::ContextField::kBlockDimX] = 1;
  for (std::uint32_t round = 0; round < rounds_; ++round) {
    context[abi::ContextField::kSiteId] = round;
    code->run(0, context);
  }
  const Records records = records_of(code->map(program().ring).data());
  EXPECT_GT(records.size(), 5U);
  EXPECT_EQ(records, records_of(emulated.map(program().ring)));
}

TEST_F(Rings, CursorsThatRanFarAheadAreSetBack) {
  constexpr std::uint32_t kSegmentUnits = kRingBytes / abi::kRingSegments / abi::kRingUnit;
  auto code = codegen::jit(program().object, program().checked);
  ASSERT_TRUE(code) << to_string(code.error());
  auto& header = *reinterpret_cast<abi::RingHeader*>(code->map(program().ring).data());
  for (std::uint64_t& cursor : header.cursor) cursor = 0xffff'fffd'4000'0001;  // lap 3
  codegen::ContextValues context;
  for (std::uint32_t round = 0; round < 10; ++round) {
    context[abi::ContextField::kSiteId] = round;
    code->run(0, context);
  }
  EXPECT_EQ(header.dropped, 10U);
  EXPECT_EQ(header.cursor[0] >> 32, 0xffff'fffdU);
  EXPECT_GE(static_cast<std::uint32_t>(header.cursor[0]), kSegmentUnits);
  EXPECT_LT(static_cast<std::uint32_t>(header.cursor[0]), 10 * kRingBytes);
}

}  // namespace
}  // namespace egpu::testing
