#include <cerrno>

#include "api/failure.h"
#include "api/handles.h"

using egpu::api::failed;
using egpu::api::guarded;

const char* egpu_error(void) { return egpu::api::last_failure(); }

const char* egpu_version(void) { return EGPU_VERSION; }

int egpu_options_new(egpu_options** options) {
  return guarded([&] {
    if (options == nullptr) return failed(EINVAL, "no place for the options");
    *options = new egpu_options();
    return 0;
  });
}

void egpu_options_free(egpu_options* options) { delete options; }

int egpu_options_set_variable(egpu_options* options, const char* name, const char* value) {
  return guarded([&] {
    if (options == nullptr || name == nullptr || value == nullptr)
      return failed(EINVAL, "a variable needs options, a name and a value");
    options->variables.emplace_back(name, value);
    return 0;
  });
}

int egpu_options_set_emulate(egpu_options* options, int emulate) {
  if (options == nullptr) return failed(EINVAL, "no options");
  options->emulate = emulate != 0;
  return 0;
}

int egpu_options_set_interval(egpu_options* options, unsigned milliseconds) {
  if (options == nullptr || milliseconds < 10)
    return failed(EINVAL, "an interval has 10 milliseconds or more");
  options->interval = std::chrono::milliseconds(milliseconds);
  return 0;
}

int egpu_options_set_wait(egpu_options* options, unsigned milliseconds) {
  if (options == nullptr || milliseconds == 0)
    return failed(EINVAL, "a wait has 1 millisecond or more");
  options->wait = std::chrono::milliseconds(milliseconds);
  return 0;
}
