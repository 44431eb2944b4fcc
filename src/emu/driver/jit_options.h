// Options of calls that load or link code. Logs are written; what steers the driver's compiler has
// no meaning for the executor.
#pragma once

#include <span>
#include <string_view>

#include "cuda/driver_structs.h"

namespace egpu::emu::driver {

class JitOptions {
 public:
  // kInvalidValue where an option is not one, or `options` or `values` is missing.
  static cuda::Status read(unsigned count, cuda::JitOption* options, void** values,
                           JitOptions& result);

  // Tells the application in its error log, if it has one.
  void log_error(std::string_view text) const;
  // Says how much of the logs was filled: nothing, until something is logged.
  void clear_logs() const;

 private:
  struct Log {
    char* text = nullptr;
    void** size = nullptr;  // in: bytes of the buffer; out: bytes written
    std::size_t capacity = 0;
  };
  static void write(const Log& log, std::string_view text);

  Log error_;
  Log info_;
};

}  // namespace egpu::emu::driver
