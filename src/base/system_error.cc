#include "base/system_error.h"

#include <string>
#include <system_error>

namespace egpu {

Error system_error(std::string_view what, int error) {
  return input_error(std::string(what) + ": " + std::generic_category().message(error));
}

}  // namespace egpu
