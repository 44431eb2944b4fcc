#include "cli/diagnostics.h"

#include <nlohmann/json.hpp>

namespace egpu::cli {
namespace {

constexpr const char* kRed = "\x1b[1;31m";
constexpr const char* kYellow = "\x1b[1;33m";
constexpr const char* kBlue = "\x1b[1;34m";

std::string painted(const std::string& text, const char* paint, bool colour) {
  return colour ? paint + text + "\x1b[0m" : text;
}

}  // namespace

int exit_code(const Error& error) { return error.fault == Fault::kBug ? kExitBug : kExitInput; }

std::string format_error(const Error& error, bool colour) {
  const bool bug = error.fault == Fault::kBug;
  std::string text =
      painted(bug ? "error in egpu itself" : "error", kRed, colour) + ": " + error.message + "\n";
  if (!error.place.empty()) text += "  " + painted("-->", kBlue, colour) + " " + error.place + "\n";
  std::string remedy = error.remedy;
  if (bug && remedy.empty())
    remedy = "please report this, with the command line, the input and the output of `egpu doctor`";
  if (!remedy.empty()) text += "  " + painted("hint", kBlue, colour) + ": " + remedy + "\n";
  return text;
}

std::string format_warning(const std::string& text, bool colour) {
  return painted("warning", kYellow, colour) + ": " + text + "\n";
}

std::string format_note(const std::string& text, bool colour) {
  return painted("note", kBlue, colour) + ": " + text + "\n";
}

nlohmann::ordered_json error_to_json(const Error& error) {
  return {{"fault", error.fault == Fault::kBug ? "bug" : "input"},
          {"message", error.message},
          {"place", error.place},
          {"hint", error.remedy}};
}

}  // namespace egpu::cli
