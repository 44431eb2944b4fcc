#include "inject/report.h"

#include <cstdarg>
#include <cstdio>

#include "inject/session.h"

namespace egpu::inject {

void report(const char* format, ...) {
  abi::Report message;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message.text, sizeof message.text, format, arguments);
  va_end(arguments);
  if (session.configuration.debug) std::fprintf(stderr, "egpu: %s\n", message.text);
  session.connection.tell(message);
}

}  // namespace egpu::inject
