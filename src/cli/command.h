// What a command gets and gives. Commands print nothing themselves: tests read their Outcome.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/installation.h"
#include "cli/terminal.h"

namespace egpu::cli {

struct Context {
  Installation installation;
  Terminal output;    // standard output
  Terminal messages;  // standard error
};

struct Outcome {
  std::string text;           // for standard output
  std::vector<Error> errors;  // for standard error; they do not stop the text from being printed
  int exit_code = 0;
};

}  // namespace egpu::cli
