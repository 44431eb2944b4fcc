// A program in the emulator under a session of this process, for tests that ask for its maps while
// its kernels run.
#pragma once

#include "emulator_run.h"
#include "session/session.h"

namespace egpu::testing {

class LiveProgram : public ::testing::Test {
 protected:
  // Launches without an end: vec_add of 1,000 elements, in blocks of 512 threads.
  static constexpr std::uint64_t kThreads = 1024;  // of a launch

  // `object`: below the build folder. Returns once a launch was made.
  void start(const std::string& object, session::SessionOptions options = {}) {
    const std::string path = std::string(EGPU_BINARY_DIR) + "/" + object;
    const auto bytes = read_file(path);
    ASSERT_TRUE(bytes) << to_string(bytes.error());
    auto loaded = bpf::load_object(*bytes, path);
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    options.object = *std::move(loaded);
    options.inject_library = EGPU_INJECT_LIBRARY;
    options.emulated = true;
    options.requests = true;
    options.snapshot_interval = std::chrono::hours(1);  // what is read is asked for
    auto started = session::Session::start(std::move(options));
    ASSERT_TRUE(started) << to_string(started.error());
    session_ = *std::move(started);

    std::vector<std::string> command = {"env", "LD_LIBRARY_PATH=" EMULATOR_FOLDER};
    for (const std::string& setting : session_->environment("")) command.push_back(setting);
    for (const char* word : {EMULATED_PROGRAM, "vec_add", "1000", "1"}) command.emplace_back(word);
    command.push_back(run_.file("end"));
    program_.emplace(command, run_.file("output"));
    ASSERT_TRUE(eventually([&] { return !session_->live().empty(); })) << program_->output();
    ASSERT_TRUE(eventually([&] { return contents(run_.file("end.started")).ends_with('\n'); }))
        << program_->output();
  }

  // The program ends in its own time; gives how many threads it launched.
  std::uint64_t end() {
    std::ofstream(run_.file("end")) << "now";
    EXPECT_EQ(program_->wait(), 0) << program_->output();
    session_->finish();
    return std::stoull(field("threads", program_->output()));
  }

  [[nodiscard]] std::size_t map(const std::string& name) const {
    const auto& maps = session_->object().maps;
    for (std::size_t i = 0; i < maps.size(); ++i)
      if (maps[i].name == name) return i;
    ADD_FAILURE() << "no map " << name;
    return 0;
  }

  EmulatorRun run_;
  std::unique_ptr<session::Session> session_;
  std::optional<Started> program_;
};

template <class T>
Bytes bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace egpu::testing
