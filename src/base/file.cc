#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

#include "base/system_error.h"

namespace egpu {
namespace {

Result<void> write_all(int fd, Bytes content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return system_error("cannot write");
    }
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::vector<std::byte>> read_all(int fd) {
  std::vector<std::byte> content;
  std::byte chunk[1 << 16];
  while (true) {
    const ssize_t got = ::read(fd, chunk, sizeof chunk);
    if (got < 0) {
      if (errno == EINTR) continue;
      return system_error("cannot read");
    }
    if (got == 0) return content;
    content.insert(content.end(), chunk, chunk + got);
  }
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error("cannot open").at(path.string());
  auto content = read_all(fd.get());
  if (!content) return Error(content.error()).at(path.string());
  return content;
}

Result<void> write_file(const std::filesystem::path& path, Bytes content) {
  // A name of its own: threads and processes may write the same file at the same time.
  std::string temporary = path.string() + ".tmp.XXXXXX";
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) return system_error("cannot create").at(temporary);
  if (auto written = write_all(fd.get(), content); !written) {
    ::unlink(temporary.c_str());
    return Error(written.error()).at(temporary);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    Error error = system_error("cannot rename to the final name").at(path.string());
    ::unlink(temporary.c_str());
    return error;
  }
  return {};
}

Result<void> overwrite_file(const std::filesystem::path& path, Bytes content) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd) return system_error("cannot create").at(path.string());
  if (auto written = write_all(fd.get(), content); !written)
    return Error(written.error()).at(path.string());
  return {};
}

Result<UniqueFd> make_memfd(const char* name, Bytes content) {
  UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) return system_error("memfd_create failed");
  EGPU_TRY(write_all(fd.get(), content));
  // A receiver may map it: it must never shrink under the mapping.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return system_error("cannot seal a memfd");
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

Result<std::vector<std::byte>> read_fd(int fd, std::size_t size) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return system_error("cannot stat");
  if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) < size)
    return input_error("shorter than announced: " + std::to_string(status.st_size) + " of " +
                       std::to_string(size) + " bytes");
  std::vector<std::byte> content(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd, content.data() + done, size - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return system_error("cannot read");
    done += static_cast<std::size_t>(got);
  }
  return content;
}

}  // namespace egpu
