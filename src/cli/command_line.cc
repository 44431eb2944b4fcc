#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>

#include "cli/suggest.h"

namespace egpu::cli {
namespace {

constexpr const char* kDescription =
    "egpu runs eBPF programs inside the CUDA kernels of unmodified programs.";
constexpr const char* kFooter =
    "Examples:\n"
    "  egpu run kernelcount -- ./vec_add     launches and threads of each kernel\n"
    "  egpu check my.bpf.o                   is it safe, and what does it cost?\n"
    "  egpu ptx my.bpf.o                     the GPU code it becomes\n"
    "  egpu inspect ./vec_add                which kernels can be probed\n"
    "  egpu demo                             a tour, on a machine without a GPU too\n"
    "  egpu doctor                           what works on this machine\n"
    "\nExit codes: 0 success, 1 wrong input, 2 a fault of egpu itself; `egpu run` gives the "
    "program's own.\n"
    "`egpu COMMAND --help` says more.";
constexpr const char* kObject = "TOOL|OBJECT";
constexpr const char* kObjectHelp = "a bundled tool's name, or an eBPF object file";

constexpr const char* kRun = "run";
constexpr const char* kRunUsage = "egpu run [OPTIONS] TOOL|OBJECT -- PROGRAM [ARGUMENT...]";

// CLI11 never sees what follows "--", so it cannot describe it.
class RunFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return std::string("Usage: ") + kRunUsage + "\n";
  }
};

// One parse. Options land in the members; the chosen command's callback tells which of them counts.
class Parser {
 public:
  Parser() : app_(kDescription, "egpu") {
    app_.footer(kFooter);
    app_.set_version_flag("--version", "egpu " EGPU_VERSION);
    app_.require_subcommand(1);
    add_run();
    add_check();
    add_ptx();
    add_inspect();
    add_doctor();
    add_demo();
    add_conformance();
  }

  // `program`: what came after "--".
  Result<Command> parse(std::vector<std::string> arguments, std::vector<std::string> program) {
    run_.command = std::move(program);
    std::ranges::reverse(arguments);  // as CLI11 wants them
    try {
      app_.parse(arguments);
    } catch (const CLI::CallForHelp&) {
      return Command(HelpRequest{.text = app_.help()});
    } catch (const CLI::CallForVersion&) {
      return Command(HelpRequest{.text = app_.version() + "\n"});
    } catch (const CLI::ParseError& error) {
      return input_error(error.what()).hint("see `" + chosen_name() + " --help`");
    }
    return finish_();
  }

  [[nodiscard]] std::vector<std::string> commands() const {
    std::vector<std::string> names;
    for (const CLI::App* command : app_.get_subcommands(nullptr))
      names.push_back(command->get_name());
    return names;
  }

  [[nodiscard]] std::string help() const { return app_.help(); }

 private:
  [[nodiscard]] std::string chosen_name() const {
    const auto chosen = app_.get_subcommands();
    return chosen.empty() ? "egpu" : "egpu " + chosen.front()->get_name();
  }

  static void add_settings(CLI::App& command, std::vector<std::string>& settings) {
    command
        .add_option("--set", settings,
                    "set a `const volatile` variable of the object; may be given several times")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
  }

  void add_run() {
    CLI::App* command = app_.add_subcommand(kRun, "Run a program with probes in its CUDA kernels");
    command->formatter(std::make_shared<RunFormatter>());
    command->add_option(kObject, run_.object, kObjectHelp)->required()->type_name("");
    add_settings(*command, run_.settings);
    command->add_flag("--json", run_.json, "print the report as JSON (docs/json.md)");
    command
        ->add_option("-o,--output", run_.output,
                     "write the report to a file, not to standard output")
        ->type_name("FILE");
    command
        ->add_option("--top", run_.top,
                     "show the N largest entries of each map with keys, in order of size")
        ->check(CLI::Range(1, 1'000'000'000))
        ->type_name("N");
    command
        ->add_option("--interval", run_.interval_ms,
                     "time between snapshots of the maps: what a killed program may lose")
        ->check(CLI::Range(10, 3'600'000))
        ->type_name("MS")
        ->capture_default_str();
    command
        ->add_option("--max-wait", run_.max_wait_ms,
                     "longest time that loading a module may be delayed; then the original runs")
        ->check(CLI::Range(1, 3'600'000))
        ->type_name("MS")
        ->capture_default_str();
    command->add_flag("--emulate", run_.emulate,
                      "run the program in egpu's emulator: no GPU is needed or used");
    command->add_flag("--no-cache", run_.no_cache,
                      "neither read nor write the cache of assembled modules");
    command->add_flag("-v,--verbose", run_.verbose,
                      "report every module load, also those that got their probes");
    command->footer(
        "The report comes when the program has ended; its exit code is the program's, 128 + N "
        "where signal N ended it.\n"
        "\nExamples:\n"
        "  egpu run kernelcount -- python train.py\n"
        "  egpu run --json -o counts.json ./my.bpf.o -- ./app --size 100\n"
        "  egpu run --set limit=5 ./my.bpf.o -- ./app\n"
        "  egpu run --emulate kernelcount -- ./app");
    choose(command, run_);
  }

  void add_check() {
    CLI::App* command =
        app_.add_subcommand("check", "Prove that an eBPF object is safe, and tell its cost");
    command->add_option(kObject, check_.object, kObjectHelp)->required()->type_name("");
    add_settings(*command, check_.settings);
    command->add_flag("--json", check_.json, "print the result as JSON (docs/json.md)");
    command->footer(
        "Examples:\n  egpu check kernelcount\n  egpu check --json my.bpf.o\n"
        "  egpu check --set limit=5 my.bpf.o");
    choose(command, check_);
  }

  void add_ptx() {
    CLI::App* command =
        app_.add_subcommand("ptx", "Print the GPU code that an eBPF object becomes");
    command->add_option(kObject, ptx_.object, kObjectHelp)->required()->type_name("");
    add_settings(*command, ptx_.settings);
    command->add_flag("--ir", ptx_.llvm_ir, "print the optimised LLVM IR in place of PTX");
    command->footer("Examples:\n  egpu ptx kernelcount\n  egpu ptx --ir my.bpf.o");
    choose(command, ptx_);
  }

  void add_inspect() {
    CLI::App* command = app_.add_subcommand(
        "inspect", "List the kernels of a file, and whether they can be probed");
    command
        ->add_option("FILE", inspect_.file,
                     "an executable, shared library, fatbin, cubin or PTX file")
        ->required()
        ->type_name("");
    command
        ->add_option("--sm", inspect_.compute_capability,
                     "the GPU's compute capability, such as 90 for H100 and H200")
        ->type_name("N")
        ->capture_default_str();
    command->add_flag("--json", inspect_.json, "print the result as JSON (docs/json.md)");
    command->footer("Examples:\n  egpu inspect ./vec_add\n  egpu inspect --sm 80 libkernels.so");
    choose(command, inspect_);
  }

  void add_doctor() {
    CLI::App* command = app_.add_subcommand(
        "doctor", "Say what works on this machine, and what to do about the rest");
    command->add_flag("--json", doctor_.json, "print the result as JSON (docs/json.md)");
    command->footer("Exit code 0 where `egpu run` can work.");
    choose(command, doctor_);
  }

  void add_demo() {
    CLI::App* command = app_.add_subcommand(
        "demo", "Show the bundled tools on a bundled program, without a GPU too");
    command->add_flag("--emulate", demo_.emulate, "use the emulator also where there is a GPU");
    command->footer("Takes seconds. Without a GPU it runs in egpu's emulator, and says so.");
    choose(command, demo_);
  }

  void add_conformance() {
    CLI::App* command = app_.add_subcommand("conformance-plugin",
                                            "Run a raw program, for instruction set test suites");
    command
        ->add_option("MEMORY-HEX", conformance_.memory,
                     "the memory in r1 as hexadecimal bytes; its size is in r2")
        ->type_name("");
    command
        ->add_option("--engine", conformance_.engine,
                     "what runs the program: jit, gpu or emu (egpu's emulator of a GPU)")
        ->check(CLI::IsMember({"jit", "gpu", "emu"}))
        ->type_name("ENGINE")
        ->capture_default_str();
    command
        ->add_option("--cases", conformance_.cases,
                     "run case files (docs/instruction-set.md) in place of a program, and compare")
        ->type_name("FILE");
    command->footer(
        "Reads the program's instructions as hexadecimal bytes from standard input and prints r0 "
        "in hexadecimal, as\nplugins of the bpf_conformance suite do.\n"
        "\nThis command alone runs programs that `egpu check` would refuse: in a process and on "
        "memory of its own,\nfor 10 seconds at most (the GPU's start not counted). Give it no "
        "program that you would not run as a native\none.\n"
        "\nExamples:\n"
        "  echo 'b7 00 00 00 2a 00 00 00  95 00 00 00 00 00 00 00' | egpu conformance-plugin\n"
        "  egpu conformance-plugin --engine gpu --cases tests/isa/*.case");
    choose(command, conformance_);
  }

  // Where `command` is the one given, `options` are the result.
  template <class Options>
  void choose(CLI::App* command, const Options& options) {
    command->allow_extras();  // refused here, in our words
    command->callback([this, command, &options] {
      finish_ = [this, command, &options]() -> Result<Command> {
        EGPU_TRY(refuse_extras(*command));
        if (command->get_name() == kRun && run_.command.empty())
          return input_error("no program to run").hint(kRunUsage);
        return Command(options);
      };
    });
  }

  [[nodiscard]] Result<void> refuse_extras(const CLI::App& command) const {
    const std::vector<std::string> extras = command.remaining();
    if (extras.empty()) return {};
    const std::string& extra = extras.front();
    std::string hint = "see `" + chosen_name() + " --help`";
    if (extra.starts_with('-'))
      hint = did_you_mean(extra, long_options(command), std::move(hint));
    else if (command.get_name() == kRun)
      hint = std::string("options of egpu and the program are separated by `--`: ") + kRunUsage;
    return input_error("unexpected argument `" + extra + "`").hint(std::move(hint));
  }

  static std::vector<std::string> long_options(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
  }

  CLI::App app_;
  RunOptions run_;
  CheckOptions check_;
  PtxOptions ptx_;
  InspectOptions inspect_;
  DoctorOptions doctor_;
  DemoOptions demo_;
  ConformanceOptions conformance_;
  std::function<Result<Command>()> finish_;
};

}  // namespace

Result<Command> parse_command_line(std::vector<std::string> arguments) {
  Parser parser;
  if (arguments.empty()) return Command(HelpRequest{.text = parser.help(), .exit_code = 1});

  std::vector<std::string> known = parser.commands();
  known.insert(known.end(), {"--help", "--version"});
  if (arguments.front() == "help") arguments.front() = "--help";
  const std::string& first = arguments.front();
  if (first != "-h" && std::ranges::find(known, first) == known.end())
    return input_error("no command is called `" + first + "`")
        .hint(did_you_mean(first, known, "see `egpu --help`"));

  // What follows is the program's, options and all.
  const auto separator = std::ranges::find(arguments, "--");
  std::vector<std::string> program;
  if (separator != arguments.end()) {
    program.assign(separator + 1, arguments.end());
    if (first != kRun)
      return input_error("`--` belongs to `egpu run`").hint("see `egpu " + first + " --help`");
  }
  arguments.erase(separator, arguments.end());
  return parser.parse(std::move(arguments), std::move(program));
}

bool wants_json(const std::vector<std::string>& arguments) {
  const auto separator = std::ranges::find(arguments, "--");
  return std::find(arguments.begin(), separator, "--json") != separator;
}

}  // namespace egpu::cli
