// Assembling with libnvJitLink, which a machine without a toolkit may have (it comes with PyTorch).
// Needs no GPU.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "session/assembler.h"

namespace egpu::session {

// What to try to open, newest first: by name alone (the loader's search), then in CUDA_HOME and the
// toolkit.
std::vector<std::filesystem::path> nvjitlink_candidates(const AssemblerSearch& search);

// Loads the library for good: it is never unloaded.
Result<std::shared_ptr<const AssemblerBackend>> open_nvjitlink(
    const std::filesystem::path& library);

}  // namespace egpu::session
