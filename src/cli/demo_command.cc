#include "cli/demo_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "cli/run_command.h"

namespace egpu::cli {
namespace {

namespace fs = std::filesystem;

// As one would type it here: relative where that is shorter.
std::string typed(const fs::path& path) {
  std::error_code ignored;  // no working folder: the path as it is
  const std::string relative = fs::proximate(path, ignored).string();
  return !relative.empty() && relative.size() < path.string().size() ? relative : path.string();
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);  // before the program's own output
}

std::string next_steps(const std::string& egpu, const std::string& run,
                       const Installation& installation) {
  const std::string program = typed(installation.demo_program());
  const std::string kernels = typed(installation.demo_program().replace_filename("kernels.ptx"));
  return fmt::format(
      "\nTry next:\n"
      "  {run} kernelcount -- YOUR_PROGRAM\n"
      "  {egpu} check kernelcount    # is the tool safe, and what does it cost?\n"
      "  {egpu} ptx kernelcount      # the GPU code it becomes\n"
      "  {egpu} inspect {kernels}    # which kernels can be probed\n"
      "  {run} --json kernelcount -- {program}\n"
      "  {egpu} doctor               # what works on this machine\n"
      "docs/writing-probes.md shows how to write a probe of your own.\n",
      fmt::arg("egpu", egpu), fmt::arg("run", run), fmt::arg("kernels", kernels),
      fmt::arg("program", program));
}

}  // namespace

Result<Outcome> demo_command(const Context& context, const Machine& machine,
                             const DemoOptions& options) {
  const bool emulate = options.emulate || !can_use_gpu(machine);
  const std::string egpu = typed(context.installation.executable);
  const std::string run = egpu + (emulate ? " run --emulate" : " run");
  const fs::path program = context.installation.demo_program();
  print(emulate ? "A program with four kernels. No GPU is used: egpu's emulator runs "
                  "them.\n"
                : "A program with four kernels, on this machine's GPU.\n");

  const std::vector<std::string> tools = context.installation.tools();
  if (tools.empty())
    return input_error("no bundled tool was found")
        .at(context.installation.tools_directory().string())
        .hint("keep share/egpu beside the folder of the egpu executable");
  for (const std::string& tool : tools) {
    print(fmt::format("\n$ {} {} -- {}\n", run, tool, typed(program)));
    EGPU_ASSIGN(const Outcome outcome,
                run_command(context, machine,
                            {.object = tool, .command = {program.string()}, .emulate = emulate}));
    print(outcome.text);
    if (outcome.exit_code != 0)
      return input_error(fmt::format("the program ended with exit code {}", outcome.exit_code))
          .at(program.string())
          .hint(emulate ? "its message is above"
                        : "`egpu doctor` says what works here; `egpu demo --emulate` needs no GPU");
  }
  return Outcome{.text = next_steps(egpu, run, context.installation), .errors = {}, .exit_code = 0};
}

}  // namespace egpu::cli
