// What `egpu run` says at the end: the maps, and what one must know to trust them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bpf/object.h"
#include "cli/child_process.h"
#include "cli/terminal.h"
#include "session/session.h"

namespace egpu::cli {

struct RunReport {
  const bpf::Object* object = nullptr;
  session::SessionReport session;
  std::vector<std::string> command;
  ProcessEnd end;
  std::uint64_t end_time_ns = 0;  // CLOCK_MONOTONIC when the program had ended
  std::size_t top = 0;            // entries shown of a map with keys; 0: all
  bool emulated = false;
  bool verbose = false;
};

// Whether every instance's last snapshot was taken after its last launch.
bool is_complete(const RunReport& report);

// Sentences on what may be missing, what was not observed, and why.
std::vector<std::string> warnings_of(const RunReport& report);

// A sentence for each module load that got probes.
std::vector<std::string> probed_loads_of(const RunReport& report);

std::string report_text(const RunReport& report, const Terminal& terminal);
std::string report_json(const RunReport& report);

}  // namespace egpu::cli
