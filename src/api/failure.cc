#include "api/failure.h"

#include <cerrno>

namespace egpu::api {
namespace {

thread_local std::string last;

}  // namespace

int failed(int number, std::string message) noexcept {
  last = std::move(message);
  return -number;
}

int failed(const session::MapError& error) noexcept { return failed(error.number, error.message); }

int failed(const Error& error) noexcept {
  try {
    return failed(error.fault == Fault::kBug ? EIO : EINVAL, to_string(error));
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

// Short enough for a string to hold it without memory.
int out_of_memory() noexcept { return failed(ENOMEM, "out of memory"); }

const char* last_failure() noexcept { return last.c_str(); }

}  // namespace egpu::api
