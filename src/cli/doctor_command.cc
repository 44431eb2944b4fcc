#include "cli/doctor_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/diagnostics.h"
#include "cli/doctor_checks.h"
#include "cli/text.h"

namespace egpu::cli {
namespace {

const char* health_name(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kWarning:
      return "warn";
    case Health::kFailure:
      return "fail";
  }
  return "";
}

std::string paint(Health health, bool colour) {
  std::string word = fmt::format("{:<4}", health_name(health));
  if (!colour) return word;
  const int code = health == Health::kOk ? 32 : health == Health::kWarning ? 33 : 31;
  return fmt::format("\x1b[1;{}m{}\x1b[0m", code, word);
}

std::string as_text(const std::vector<Check>& checks, bool works, const Terminal& terminal) {
  constexpr std::size_t kDetailColumn = 27;
  constexpr std::size_t kRemedyColumn = kDetailColumn + 3;
  std::string text;
  for (const Check& check : checks) {
    text += fmt::format("{}  {:<20} {}\n", paint(check.health, terminal.colour), check.name,
                        wrap(check.detail, terminal.width, kDetailColumn));
    if (!check.remedy.empty())
      text += fmt::format("{:{}}-> {}\n", "", kDetailColumn,
                          wrap(check.remedy, terminal.width, kRemedyColumn));
  }
  const char* verdict = works ? "`egpu run` can work here."
                              : "`egpu run` cannot work here; `egpu run --emulate`, `egpu demo`, "
                                "`egpu check`, `egpu ptx` and `egpu inspect` need no GPU.";
  return text + "\n" + wrap(verdict, terminal.width, 0) + "\n";
}

std::string as_json(const std::vector<Check>& checks, bool works) {
  nlohmann::ordered_json json = {{"run_possible", works},
                                 {"checks", nlohmann::ordered_json::array()}};
  for (const Check& check : checks)
    json["checks"].push_back({{"name", check.name},
                              {"status", health_name(check.health)},
                              {"detail", check.detail},
                              {"remedy", check.remedy}});
  return json_text(json);
}

}  // namespace

Outcome doctor_command(const Context& context, const Machine& machine,
                       const DoctorOptions& options) {
  const std::vector<Check> checks = examine(machine, context.installation);
  const bool works = std::ranges::none_of(
      checks, [](const Check& check) { return check.health == Health::kFailure; });
  return {.text = options.json ? as_json(checks, works) : as_text(checks, works, context.output),
          .errors = {},
          .exit_code = works ? 0 : kExitInput};
}

}  // namespace egpu::cli
