// What the tests of the injected library share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "observed_program.h"
#include "scripted_service.h"

namespace egpu::testing {

class InjectTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kThreads = 128;  // of each launch of the program: 4 blocks of 32
  using Steps = std::vector<std::string>;

  void serve(Script script = {}) {
    service.reset();  // frees the path
    service = std::make_unique<ScriptedService>(directory.file("socket"), FAKE_CUDA_LIBRARY,
                                                std::move(script));
  }

  Outcome run(const Steps& steps, const Environment& environment = {}) {
    Outcome outcome = ObservedProgram(directory, steps, environment).wait();
    if (service != nullptr && outcome.exit_code >= 0) service->finish();
    return outcome;
  }

  // The program must not notice anything.
  static void expect_untroubled(const Outcome& outcome) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "");
  }

  template <class Condition>
  static bool eventually(Condition condition) {
    for (int i = 0; i < 5000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  TemporaryDirectory directory;
  std::unique_ptr<ScriptedService> service;
};

}  // namespace egpu::testing
