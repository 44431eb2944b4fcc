// Child processes that do not outlive a test, however it ends.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/argument_vector.h"

namespace egpu::testing {

// Starts `command`, looked for on PATH; what it prints goes to the file `output`. It is killed when
// the thread that called this ends. `environment`: "NAME=value"; null: that of the test.
inline pid_t start_child(const std::vector<std::string>& command, const std::string& output,
                         const std::vector<std::string>* environment = nullptr) {
  const std::vector<char*> words = argument_vector(command);
  const std::vector<char*> variables =
      environment != nullptr ? argument_vector(*environment) : std::vector<char*>();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  // Other threads of the test may have held any lock: system calls alone from here on.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ::dup2(file, 1) < 0 || ::dup2(1, 2) < 0) ::_exit(127);
  ::execvpe(words[0], words.data(), environment != nullptr ? variables.data() : ::environ);
  ::_exit(127);
}

}  // namespace egpu::testing
