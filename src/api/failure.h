// How functions of the C API fail: a negative number, and a sentence for egpu_error().
#pragma once

#include <exception>
#include <new>
#include <string>

#include "base/result.h"
#include "session/map_error.h"

namespace egpu::api {

// Remembers `message` for this thread; gives -`number` (of errno.h).
int failed(int number, std::string message) noexcept;
int failed(const session::MapError& error) noexcept;
// -EINVAL where the input is wrong, -EIO where we are.
int failed(const Error& error) noexcept;
int out_of_memory() noexcept;

// What failed() remembered last on this thread.
const char* last_failure() noexcept;

// Nothing leaves a function of the C API but its result.
template <class Body>
int guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& exception) {
    return failed(internal_error(exception.what()));
  }
}

}  // namespace egpu::api
