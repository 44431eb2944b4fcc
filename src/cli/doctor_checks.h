// The checks behind `egpu doctor`, in the order in which a run would fail.
#pragma once

#include <string>
#include <vector>

#include "cli/installation.h"
#include "cli/machine.h"

namespace egpu::cli {

enum class Health { kOk, kWarning, kFailure };  // a failure: `egpu run` cannot work

struct Check {
  std::string name;
  Health health = Health::kOk;
  std::string detail;
  std::string remedy;  // where the health is not kOk
};

std::vector<Check> examine(const Machine& machine, const Installation& installation);

}  // namespace egpu::cli
