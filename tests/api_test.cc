// libegpu as its callers use it: from outside, with programs in the emulator.
#include <egpu/egpu.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "emulator_run.h"

namespace egpu::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Close {
  void operator()(egpu_session* session) const { egpu_session_close(session); }
  void operator()(egpu_options* options) const { egpu_options_free(options); }
};
using Session = std::unique_ptr<egpu_session, Close>;
using Options = std::unique_ptr<egpu_options, Close>;

struct Cell {
  std::uint64_t count = 0;
  std::uint32_t gate = 0;
  std::uint32_t padding = 0;
};

Options emulated() {
  egpu_options* options = nullptr;
  EXPECT_EQ(egpu_options_new(&options), 0);
  EXPECT_EQ(egpu_options_set_emulate(options, 1), 0);
  return Options(options);
}

std::string object(const std::string& name) {
  return std::string(EGPU_BINARY_DIR) + "/tests/" + name + ".bpf.o";
}

// A session, and programs under it that launch until they are told to end.
class Api : public ::testing::Test, public EmulatorRun {
 protected:
  ~Api() override {
    for (const pid_t pid : started_) {
      if (::waitpid(pid, nullptr, WNOHANG) != 0) continue;  // it was waited for, or has ended
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  void open(const std::string& path, const Options& options = emulated()) {
    egpu_session* session = nullptr;
    ASSERT_EQ(egpu_session_open(path.c_str(), options.get(), &session), 0) << egpu_error();
    session_.reset(session);
  }

  pid_t start(const std::string& end) {
    const std::string file_of_end = file(end);
    const char* const program[] = {EMULATED_PROGRAM,    "vec_add", "1000", "1",
                                   file_of_end.c_str(), nullptr};
    pid_t pid = 0;
    EXPECT_EQ(egpu_session_start(session_.get(), program, nullptr, &pid), 0) << egpu_error();
    if (pid > 0) started_.push_back(pid);
    EXPECT_TRUE(eventually([&] { return contents(file_of_end + ".started").ends_with('\n'); }));
    return pid;
  }
  void end(pid_t pid, const std::string& end) {
    std::ofstream(file(end)) << "now";
    int status = -1;
    EXPECT_EQ(egpu_session_wait(session_.get(), pid, -1, &status), 0) << egpu_error();
    EXPECT_EQ(status, 0);
  }

  std::vector<egpu_instance> instances() {
    std::size_t count = 0;
    egpu_session_instances(session_.get(), nullptr, &count);
    std::vector<egpu_instance> all(count);
    EXPECT_EQ(egpu_session_instances(session_.get(), all.data(), &count), 0) << egpu_error();
    return all;
  }

  egpu_map* map(const char* name) {
    egpu_map* const found = egpu_session_map(session_.get(), name);
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  template <class Key>
  std::uint64_t number(const char* name, Key key, std::uint64_t instance = EGPU_ALL) {
    std::uint64_t value[2] = {};
    EXPECT_EQ(egpu_map_lookup(map(name), instance, &key, value), 0) << egpu_error();
    return value[0];
  }

  Session session_;
  std::vector<pid_t> started_;
};

TEST_F(Api, SaysWhatIsWrongWithItsArguments) {
  egpu_session* session = nullptr;
  const Options options = emulated();
  EXPECT_EQ(egpu_session_open("no-such-tool", options.get(), &session), -EINVAL);
  EXPECT_THAT(egpu_error(), HasSubstr("no-such-tool"));
  EXPECT_EQ(egpu_session_open_bytes("\x7f"
                                    "ELF",
                                    4, "damaged", options.get(), &session),
            -EINVAL);
  EXPECT_THAT(egpu_error(), HasSubstr("damaged"));
  EXPECT_EQ(egpu_options_set_variable(options.get(), "absent", "1"), 0);
  EXPECT_EQ(egpu_session_open("kernelcount", options.get(), &session), -EINVAL);
  EXPECT_THAT(egpu_error(), HasSubstr("absent"));
  EXPECT_EQ(egpu_session_open(nullptr, options.get(), &session), -EINVAL);
  EXPECT_EQ(egpu_options_set_interval(options.get(), 9), -EINVAL);
  EXPECT_EQ(session, nullptr);
  egpu_session_close(nullptr);
  egpu_options_free(nullptr);
}

TEST_F(Api, DescribesMaps) {
  open(object("maps/host"));
  egpu_map_info info{};
  ASSERT_EQ(egpu_map_get_info(map("lanes_per_sm"), &info), 0);
  EXPECT_STREQ(info.name, "lanes_per_sm");
  EXPECT_EQ(info.type, 5u);
  EXPECT_EQ(info.key_size, 8u);
  EXPECT_EQ(info.value_size, 8u);
  EXPECT_EQ(info.max_entries, 100u);
  EXPECT_EQ(info.per_sm, 1u);
  EXPECT_EQ(egpu_session_map(session_.get(), "absent"), nullptr);
  EXPECT_EQ(egpu_session_map_at(session_.get(), 0), map("cells"));
  EXPECT_EQ(egpu_session_map_at(session_.get(), 99), nullptr);
  std::uint64_t value = 0;
  const std::uint32_t key = 0;
  EXPECT_EQ(egpu_map_lookup(map("per_sm"), EGPU_ALL, &key, &value), -ENODEV);
}

TEST_F(Api, ReadsAndWritesWhileKernelsRun) {
  open(object("maps/host"));
  const pid_t pid = start("end");
  ASSERT_TRUE(eventually([&] { return !instances().empty(); }));
  const egpu_instance instance = instances().front();
  EXPECT_EQ(instance.pid, pid);
  EXPECT_EQ(instance.live, 1u);
  EXPECT_STREQ(instance.name, "egpu emulator");

  const std::uint64_t before = number("lanes", 5U);
  EXPECT_TRUE(eventually([&] { return number("lanes", 5U, instance.id) > before; }));
  std::vector<std::uint64_t> shards(instance.shards);
  const std::uint64_t lane = 5;
  ASSERT_EQ(egpu_map_lookup_per_sm(map("lanes_per_sm"), instance.id, &lane, shards.data(),
                                   shards.size() * 8),
            0)
      << egpu_error();
  EXPECT_EQ(egpu_map_lookup_per_sm(map("lanes_per_sm"), instance.id, &lane, shards.data(), 8),
            -ENOSPC);

  const std::uint32_t second = 1;
  const Cell open_gate{.count = 0, .gate = 1};
  EXPECT_EQ(egpu_map_update(map("cells"), EGPU_ALL, &second, &open_gate, EGPU_ANY), 0)
      << egpu_error();
  EXPECT_TRUE(eventually([&] { return number("cells", second) > 0; }));
  EXPECT_EQ(egpu_map_update(map("cells"), EGPU_ALL, &second, &open_gate, EGPU_NOEXIST), -EEXIST);
  EXPECT_EQ(egpu_map_update(map("cells"), EGPU_ALL, &second, &open_gate, 17), -EINVAL);
  EXPECT_EQ(egpu_map_clear(map("totals"), instance.id), 0) << egpu_error();
  EXPECT_EQ(egpu_map_clear(map("totals"), instance.id + 1), -ENODEV);
  const std::uint32_t absent = 32;
  EXPECT_EQ(egpu_map_lookup(map("lanes"), EGPU_ALL, &absent, shards.data()), -ENOENT);

  std::vector<std::uint32_t> keys(32);
  std::vector<std::uint64_t> values(32);
  std::size_t count = 31;
  EXPECT_EQ(egpu_map_read(map("lanes"), EGPU_ALL, keys.data(), values.data(), &count), -ENOSPC);
  EXPECT_EQ(count, 32u);
  EXPECT_EQ(egpu_map_read(map("lanes"), EGPU_ALL, keys.data(), values.data(), &count), 0);
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(keys[i], i);
    EXPECT_GE(values[i], i == 5 ? before : 1);
  }

  EXPECT_EQ(egpu_session_wait(session_.get(), pid, 1, nullptr), -ETIMEDOUT);
  end(pid, "end");
  EXPECT_EQ(egpu_session_wait(session_.get(), pid, 1, nullptr), -ECHILD);
}

TEST_F(Api, KeepsWhatEndedProcessesLeft) {
  open(object("maps/host"));
  const pid_t pid = start("end");
  end(pid, "end");
  ASSERT_EQ(egpu_session_finish(session_.get()), 0);
  ASSERT_EQ(instances().size(), 1u);
  EXPECT_EQ(instances()[0].live, 0u);
  std::uint64_t lanes = 0;
  const auto add = [](void* context, const void*, const void* value) {
    std::uint64_t one = 0;
    std::memcpy(&one, value, sizeof one);
    *static_cast<std::uint64_t*>(context) += one;
    return 0;
  };
  EXPECT_EQ(egpu_map_for_each(map("lanes"), EGPU_ALL, add, &lanes), 0) << egpu_error();
  egpu_statistics statistics{};
  ASSERT_EQ(egpu_session_statistics(session_.get(), &statistics), 0);
  EXPECT_EQ(statistics.processes, 1u);
  EXPECT_EQ(statistics.modules_probed, 1u);
  EXPECT_EQ(lanes, statistics.launches_probed * 1024);
  EXPECT_EQ(number("totals", 0U), lanes);
  EXPECT_EQ(number("per_sm", 0U), lanes);
  EXPECT_EQ(number("per_sm", 1U), 0u);
  const std::uint32_t key = 0;
  EXPECT_EQ(egpu_map_update(map("per_sm"), EGPU_ALL, &key, &lanes, EGPU_ANY), -ENODEV);
  EXPECT_EQ(egpu_session_warnings(session_.get(), [](void*, const char*) {}, nullptr), 0);
}

TEST_F(Api, AddsPerSmMapsOfSeveralProcesses) {
  open(object("maps/host"));
  const pid_t first = start("first");
  const pid_t second = start("second");
  ASSERT_TRUE(eventually([&] { return instances().size() == 2; }));
  end(first, "first");
  ASSERT_TRUE(eventually([&] { return instances()[0].live + instances()[1].live == 1; }));
  EXPECT_GT(number("per_sm", 0U), 0u);  // of one that ended and one that lives
  end(second, "second");
  ASSERT_EQ(egpu_session_finish(session_.get()), 0);
  const auto both = instances();
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NE(both[0].pid, both[1].pid);
  EXPECT_EQ(number("per_sm", 0U),
            number("per_sm", 0U, both[0].id) + number("per_sm", 0U, both[1].id));
  EXPECT_EQ(number("per_sm", 0U, both[1].id), number("totals", 0U, both[1].id));
  std::uint64_t value[2] = {};
  const std::uint32_t key = 0;
  EXPECT_EQ(egpu_map_lookup(map("lanes"), EGPU_ALL, &key, value), -EINVAL);
  EXPECT_THAT(egpu_error(), HasSubstr("several instances"));
  std::size_t room = 1;
  std::vector<egpu_instance> one(1);
  EXPECT_EQ(egpu_session_instances(session_.get(), one.data(), &room), -ENOSPC);
  EXPECT_EQ(room, 2u);
  EXPECT_EQ(one[0].id, both[0].id);
}

struct Records {
  egpu_map* map = nullptr;
  std::uint64_t count = 0;
  bool good = true;
};

TEST_F(Api, PollsRecords) {
  open(object("programs/ring_warps"));
  Records records{.map = map("warps")};
  const auto take = [](void* context, const egpu_record* record) {
    auto* const taken = static_cast<Records*>(context);
    ++taken->count;
    taken->good = taken->good && record->map == taken->map && record->size != 0 &&
                  reinterpret_cast<std::uintptr_t>(record->data) % 8 == 0;
  };
  EXPECT_EQ(egpu_session_poll(session_.get(), 0, take, &records), 0);
  const pid_t pid = start("end");
  EXPECT_GT(egpu_session_poll(session_.get(), -1, take, &records), 0);
  std::ofstream(file("end")) << "now";
  while (egpu_session_wait(session_.get(), pid, 1, nullptr) == -ETIMEDOUT)
    egpu_session_poll(session_.get(), 0, take, &records);
  ASSERT_EQ(egpu_session_finish(session_.get()), 0);
  while (egpu_session_poll(session_.get(), 0, take, &records) > 0) continue;
  EXPECT_TRUE(records.good);
  egpu_map_counts counts{};
  ASSERT_EQ(egpu_map_get_counts(records.map, &counts), 0);
  EXPECT_EQ(counts.records, records.count);
  egpu_statistics statistics{};
  ASSERT_EQ(egpu_session_statistics(session_.get(), &statistics), 0);
  EXPECT_EQ(counts.records + counts.dropped, statistics.launches_probed * 1024 / 32);
  EXPECT_EQ(egpu_map_for_each(
                records.map, EGPU_ALL, [](void*, const void*, const void*) { return 0; }, nullptr),
            -EOPNOTSUPP);
}

TEST_F(Api, TheExampleCountsThreads) {
  const toolkit::Outcome outcome =
      toolkit::run({"env", "XDG_CACHE_HOME=" + file("cache"), EXAMPLE_WATCH, "--emulate",
                    EMULATED_PROGRAM, "vec_add", "1000", "3"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("kernel=0 launches=3 threads=3072"));
  const toolkit::Outcome absent = toolkit::run({EXAMPLE_WATCH, "--emulate", "/no/such/program"});
  EXPECT_EQ(absent.status, 1);
  EXPECT_THAT(absent.output, HasSubstr("/no/such/program"));
}

TEST_F(Api, NothingElseIsVisible) {
  if (!std::string_view(EGPU_SANITIZE).empty()) GTEST_SKIP() << "sanitizers add symbols";
  const toolkit::Outcome symbols =
      toolkit::run({"nm", "-D", "--defined-only", "--format=posix", EGPU_LIBRARY});
  ASSERT_EQ(symbols.status, 0) << symbols.output;
  std::istringstream lines(symbols.output);
  int functions = 0;
  for (std::string line; std::getline(lines, line); ++functions)
    EXPECT_THAT(line, AllOf(StartsWith("egpu_"), HasSubstr(" T "))) << line;
  // Each that the header declares, and nothing more.
  const std::string header = contents(EGPU_SOURCE_DIR "/include/egpu/egpu.h");
  int declared = 0;
  for (std::size_t at = header.find("\nEGPU_API"); at != std::string::npos;
       at = header.find("\nEGPU_API", at + 1))
    ++declared;
  EXPECT_EQ(functions, declared);
}

}  // namespace
}  // namespace egpu::testing
