// The real assembler as a judge of generated PTX.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "codegen/generate.h"

namespace egpu::codegen::testing {

// A kernel that calls the first `programs` probe functions: ptxas drops functions nobody calls.
inline std::string caller(std::size_t programs) {
  std::string text = ".visible .entry caller()\n{\n.reg .b32 %id;\nmov.u32 %id, 7;\n";
  for (std::size_t i = 0; i < programs; ++i)
    text +=
        "{ .param .b32 kernel; .param .b32 site; st.param.b32 [kernel], %id; st.param.b32 [site], "
        "%id;\n"
        "call " +
        probe_function_name(i) + ", (kernel, site); }\n";
  return text + "ret;\n}\n";
}

// What ptxas says against the module for `architecture`; empty where it accepts it.
inline std::string ptxas_complaint(const std::string& ptx, std::size_t programs,
                                   const std::string& architecture) {
  const std::string path = ::testing::TempDir() + "/codegen_" + std::to_string(::getpid()) + ".ptx";
  const std::string text = ptx + caller(programs);
  if (auto written = write_file(path, as_bytes(text)); !written) return to_string(written.error());
  const std::string command =
      std::string(EGPU_PTXAS) + " -arch=" + architecture + " -o /dev/null '" + path + "' 2>&1";
  // NOLINTNEXTLINE(bugprone-command-processor): a fixed command of this test
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "cannot run " + command;
  std::string output;
  std::array<char, 4096> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), count);
  const int status = ::pclose(pipe);
  std::filesystem::remove(path);
  if (status == 0) return {};
  return "ptxas exited with status " + std::to_string(status) + ": " + output + "\n" + text;
}

inline bool have_ptxas() { return std::filesystem::exists(EGPU_PTXAS); }

// The oldest architecture that today's toolkit assembles for, and the one measurements are made on.
inline constexpr std::array kArchitectures{"sm_75", "sm_90"};

}  // namespace egpu::codegen::testing
