// uprobe_attach LIBRARY SYMBOL... -- COMMAND...   counts the calls of the functions while COMMAND
// runs uprobe_attach LIBRARY SYMBOL...                 until SIGINT or SIGTERM
//
// Counts in every process. Prints "SYMBOL COUNT" for each; exits as COMMAND did, or 1 where a
// uprobe cannot be attached.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "support/uprobe.h"

namespace {

using egpu::test::SystemUprobe;

int fail(const egpu::Error& error) {
  std::fprintf(stderr, "uprobe_attach: %s\n", egpu::to_string(error).c_str());
  return 1;
}

// The command's exit status as a shell gives it.
int run(char** command) {
  const pid_t child = fork();
  if (child == 0) {
    execvp(command[0], command);
    std::fprintf(stderr, "uprobe_attach: cannot run %s: %s\n", command[0], std::strerror(errno));
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int wait_for_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  int received = 0;
  return sigwait(&signals, &received) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int separator = 1;
  while (separator < argc && std::strcmp(argv[separator], "--") != 0) ++separator;
  if (separator < 3 || separator + 1 == argc) {
    std::fprintf(stderr, "usage: uprobe_attach LIBRARY SYMBOL... [-- COMMAND...]\n");
    return 1;
  }
  std::vector<SystemUprobe> probes;
  for (int i = 2; i < separator; ++i) {
    auto probe = SystemUprobe::attach(argv[1], argv[i]);
    if (!probe) return fail(probe.error());
    probes.push_back(*std::move(probe));
  }
  const int status = separator < argc ? run(argv + separator + 1) : wait_for_signal();
  for (int i = 2; i < separator; ++i) {
    const auto hits = probes[static_cast<std::size_t>(i - 2)].hits();
    if (!hits) return fail(hits.error());
    std::printf("%s %llu\n", argv[i], static_cast<unsigned long long>(*hits));
  }
  return status;
}
