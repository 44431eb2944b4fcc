// What assemblers print when they refuse PTX, turned into an Error.
#pragma once

#include <string_view>

#include "base/result.h"

namespace egpu::session {

// `log_untrusted`: the output of `assembler` ("ptxas 13.0.88"), of ptxas or of nvJitLink, which
// words it alike:
//   ptxas FILE, line 52; error   : Not a name of any known instruction: 'foo'
//   ptxas fatal   : PTX with .target 'sm_90a' cannot be compiled for architecture 'sm_90'
// The first complaint counts, with the line of `ptx` it is about.
Error assembler_error(std::string_view assembler, std::string_view log_untrusted,
                      std::string_view ptx);

}  // namespace egpu::session
