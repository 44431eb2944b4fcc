#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace egpu::cli {
namespace {

constexpr std::size_t kUsualWidth = 80;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Terminal terminal_of(std::FILE* stream) {
  const int fd = ::fileno(stream);
  if (::isatty(fd) == 0) return {};
  winsize size{};
  const bool told = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return {.width = told ? size.ws_col : kUsualWidth,
          .colour = variable("NO_COLOR").empty() && variable("TERM") != "dumb"};
}

}  // namespace egpu::cli
