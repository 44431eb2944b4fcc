#include "session/private_directory.h"

#include <stdlib.h>

#include <string>
#include <system_error>

#include "base/system_error.h"

namespace egpu::session {

Result<PrivateDirectory> PrivateDirectory::create() {
  std::error_code failed;
  std::filesystem::path base = std::filesystem::temp_directory_path(failed);
  if (failed) base = "/tmp";
  std::string name = (base / "egpu-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    return system_error("cannot create a private directory")
        .at(name)
        .hint("make the temporary directory writable, or set TMPDIR to one that is");
  return PrivateDirectory(name);
}

PrivateDirectory::~PrivateDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace egpu::session
