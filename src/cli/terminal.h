// What the reader's terminal can show.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>

namespace egpu::cli {

struct Terminal {
  std::optional<std::size_t> width;  // columns; nothing: not a terminal, lines may be of any length
  bool colour = false;
};

// Of the stream's file. A terminal that does not tell its width has 80 columns; NO_COLOR and
// TERM=dumb are respected.
Terminal terminal_of(std::FILE* stream);

}  // namespace egpu::cli
