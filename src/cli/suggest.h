// "Did you mean ...?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace egpu::cli {

// The candidate nearest to `word` in edit distance (neighbours swapped counts once), if near enough
// to be a slip of the fingers; else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "did you mean `NAME`?", or else "OTHERWISE".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string otherwise);

}  // namespace egpu::cli
