// What the environment tells the library, read once.
#pragma once

namespace egpu::inject {

struct Configuration {
  const char* socket_path = nullptr;        // null: the program is not observed
  const char* chained_injection = nullptr;  // null: there was none
  int max_wait_ms = 10000;                  // bound on one answer of the service
  bool debug = false;                       // EGPU_DEBUG: reports also go to stderr
};

// The strings are copies, freed never: a program may change its environment later.
Configuration read_configuration();

}  // namespace egpu::inject
