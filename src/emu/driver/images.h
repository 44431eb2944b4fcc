// From an image that the application loads to the PTX that is run for it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "emu/driver/jit_options.h"
#include "emu/driver/state.h"
#include "ptx/ast.h"

namespace egpu::emu::driver {

struct Code {
  ptx::Module ptx;
  unsigned architecture = 0;         // it was compiled for: 80 for compute_80
  std::uint32_t constant_bytes = 0;  // of its .const variables
};

// Where there is no code to run, says why, on standard error and in the error log.
Status load_image(const void* image, const JitOptions& options, std::shared_ptr<const Code>& code);
Status load_file(const char* path, const JitOptions& options, std::shared_ptr<const Code>& code);
// The PTX text in an image: kNoBinaryForGpu where it has none that fits.
Status choose_ptx(Bytes image_untrusted, const JitOptions& options, std::string& text);

}  // namespace egpu::emu::driver
