// Many rows make one module: the driver's assembler takes milliseconds to start, and there are
// thousands of rows. A module that is refused is halved until the row that spoils it stands alone.
#include "cli/case_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "bpf/decode.h"
#include "bpf/isa_cases.h"
#include "cli/raw_run.h"
#include "cli/run_in_child.h"
#include "codegen/host_jit.h"
#include "codegen/raw_kernel.h"
#include "cuda/raw_kernels.h"

namespace egpu::cli {
namespace {

using bpf::IsaCase;
using codegen::Optimization;

constexpr std::size_t kRowsInModule = 64;
constexpr std::chrono::seconds kRunLimit{10};  // of one program on the GPU
constexpr std::chrono::seconds kWholeLimit{10 * 60};

struct Row {
  const IsaCase* test = nullptr;
  std::optional<codegen::RawProgram> program;  // nothing: refused, as it should be, or differs
  std::vector<std::byte> after;                // on the host
  std::vector<std::string> differences;
};

const char* name_of(Optimization optimization) {
  return optimization == Optimization::kFull ? "optimised" : "not optimised";
}

void differ(Row& row, const std::string& engine, const std::string& what) {
  row.differences.push_back(fmt::format("{}: {}: {}\n", row.test->name, engine, what));
}

// `after`: what the memory should be.
void compare(Row& row, const std::string& engine, std::uint64_t r0,
             const std::vector<std::byte>& memory, const std::vector<std::byte>& after) {
  if (r0 != row.test->result)
    differ(row, engine, fmt::format("r0 is {:#x}, not {:#x}", r0, row.test->result));
  if (memory == after) return;
  const auto at = std::ranges::mismatch(memory, after).in1 - memory.begin();
  differ(row, engine, fmt::format("byte {} of the memory differs", at));
}

// Refused by this engine: right only where the row says so.
void compare_refusal(Row& row, const std::string& engine, const Error& error) {
  const std::string& wanted = row.test->refusal;
  if (wanted.empty() || error.message.find(wanted) == std::string::npos)
    differ(row, engine, to_string(error));
}

void run_on_host(Row& row, Optimization optimization) {
  const std::string engine = fmt::format("host, {}", name_of(optimization));
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): rows without a program are not run
  const auto program = codegen::jit(row.program->program, slot_place, optimization);
  if (!program) return compare_refusal(row, engine, program.error());
  if (!row.test->refusal.empty()) return differ(row, engine, "the program was not refused");
  row.after = row.test->memory;
  const std::uint64_t r0 = (*program)(row.after.data(), row.after.size());
  compare(row, engine, r0, row.after, row.test->after.value_or(row.after));
}

// Compiles and runs `rows` as one module.
Result<std::vector<cuda::RawOutcome>> run_module(const cuda::RawKernels& gpu,
                                                 std::span<Row* const> rows,
                                                 Optimization optimization) {
  std::vector<codegen::RawProgram> programs;
  std::vector<cuda::RawRun> runs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): rows without a program are not run
    programs.push_back(*rows[i]->program);
    runs.push_back({.entry = codegen::raw_kernel_name(i), .memory = rows[i]->test->memory});
  }
  EGPU_ASSIGN(const std::string ptx, codegen::generate_raw_kernels(programs, optimization));
  return gpu.run(ptx, runs, {.run = kRunLimit, .optimize = optimization == Optimization::kFull});
}

// A GPU that has been opened.
struct Device {
  std::string name;
  cuda::RawKernels kernels;
};

void run_on_gpu(const Device& gpu, std::span<Row* const> rows, Optimization optimization) {
  if (rows.empty()) return;
  const std::string engine = fmt::format("{}, {}", gpu.name, name_of(optimization));
  const auto outcomes = run_module(gpu.kernels, rows, optimization);
  if (!outcomes && rows.size() == 1) return compare_refusal(*rows[0], engine, outcomes.error());
  if (!outcomes) {
    run_on_gpu(gpu, rows.first(rows.size() / 2), optimization);
    run_on_gpu(gpu, rows.subspan(rows.size() / 2), optimization);
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = *rows[i];
    if (i >= outcomes->size()) {
      differ(row, engine, "not run: a program before it did not return");
      continue;
    }
    const cuda::RawOutcome& outcome = (*outcomes)[i];
    if (outcome.ending != cuda::RawEnding::kReturned)
      differ(row, engine, describe(outcome, row.test->memory.size(), kRunLimit).message);
    else if (!row.test->refusal.empty())
      differ(row, engine, "the program was not refused");
    else
      compare(row, engine, outcome.r0, outcome.memory, row.test->after.value_or(row.after));
  }
}

void run_rows(std::span<Row> rows, const Device* gpu) {
  std::vector<Row*> for_gpu;
  std::vector<Row*> alone;  // they should not even become a module
  for (Row& row : rows) {
    auto decoded = bpf::decode_raw(row.test->code, slot_place);
    if (!decoded) {
      compare_refusal(row, "decoder", decoded.error());
      continue;
    }
    row.program = {.program = *std::move(decoded), .place = slot_place};
    run_on_host(row, Optimization::kNone);
    run_on_host(row, Optimization::kFull);
    (row.test->refusal.empty() ? for_gpu : alone).push_back(&row);
  }
  if (gpu == nullptr) return;
  for (const Optimization optimization : {Optimization::kNone, Optimization::kFull}) {
    run_on_gpu(*gpu, for_gpu, optimization);
    for (Row* row : alone) run_on_gpu(*gpu, std::span(&row, 1), optimization);
  }
}

// `engines`: "host".
Outcome report(std::span<const Row> rows, const std::string& engines) {
  Outcome outcome;
  std::size_t differing = 0;
  for (const Row& row : rows) {
    if (!row.differences.empty()) ++differing;
    for (const std::string& difference : row.differences) outcome.text += difference;
  }
  outcome.text += fmt::format("{} rows: {} agree, {} differ ({}, each optimised and not)\n",
                              rows.size(), rows.size() - differing, differing, engines);
  outcome.exit_code = differing == 0 ? 0 : 1;
  return outcome;
}

Result<Outcome> run_all(std::span<const IsaCase> cases, const std::optional<Gpu>& wanted) {
  std::optional<Device> gpu;
  if (wanted) {
    EGPU_ASSIGN(cuda::RawKernels kernels, cuda::RawKernels::open(wanted->driver.c_str()));
    gpu = Device{.name = wanted->name, .kernels = std::move(kernels)};
  }
  std::vector<Row> rows(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) rows[i].test = &cases[i];

  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned i = std::max(1U, std::thread::hardware_concurrency()); i > 0; --i)
      threads.emplace_back([&] {
        for (std::size_t at; (at = next.fetch_add(kRowsInModule)) < rows.size();)
          run_rows(std::span(rows).subspan(at, std::min(kRowsInModule, rows.size() - at)),
                   gpu ? &*gpu : nullptr);
      });
  }
  return report(rows, gpu ? "host and " + gpu->name : "host");
}

}  // namespace

Result<Outcome> run_cases(const std::vector<std::filesystem::path>& files,
                          const std::optional<Gpu>& gpu) {
  std::vector<IsaCase> cases;
  for (const std::filesystem::path& file : files) {
    EGPU_ASSIGN(std::vector<IsaCase> more, bpf::load_isa_cases(file));
    std::ranges::move(more, std::back_inserter(cases));
  }
  return run_in_child(
      [&] { return run_all(cases, gpu); }, kWholeLimit,
      [](int signal) {
        return input_error(fmt::format("signal {} ({}) ended the run of the cases", signal,
                                       strsignal(signal)))
            .hint("a program accessed memory that it does not have; give fewer files to find it");
      });
}

}  // namespace egpu::cli
