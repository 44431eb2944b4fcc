// The options that a fat binary stores for the assembler of its PTX. The replaced module holds the
// application's own kernels too, so they must be assembled as nvcc would have: without its
// -maxrregcount a kernel may need more registers than a launch that worked before can get.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace egpu::session {

// The options, one a word, without those that are about messages and debug information alone. An
// Error names an option that is not known: nothing else from an image reaches a command line.
Result<std::vector<std::string>> options_to_keep(std::string_view options_untrusted);

// An Error where there are options: of an assembler that takes none.
Result<void> refuse_options(std::string_view assembler, const std::vector<std::string>& options);

}  // namespace egpu::session
