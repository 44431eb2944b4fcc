// What errors are called and what they mean.
#include <algorithm>
#include <iterator>

#include "emu/runtime/call.h"
#include "emu/runtime/error_names.h"

namespace egpu::emu::runtime {
namespace {

struct Text {
  Error error;
  const char* text;
};

constexpr Text kNames[] = {
#define EGPU_NAME(name, value) {value, #name},
    EGPU_RUNTIME_ERRORS(EGPU_NAME)
#undef EGPU_NAME
};

// Of errors that the driver does not have.
constexpr Text kMeanings[] = {
    {kInvalidConfiguration, "the grid or the blocks of a launch have a size that is not possible"},
    {kInvalidSymbol, "no such variable on the device"},
    {kInvalidMemcpyDirection, "invalid direction of a copy"},
    {kMissingConfiguration, "a kernel without a launch configuration"},
    {kInvalidDeviceFunction, "no such kernel on the device"},
};

constexpr char kUnrecognized[] = "unrecognized error code";

const char* find(const Text* first, const Text* last, Error error) {
  const Text* found =
      std::find_if(first, last, [&](const Text& text) { return text.error == error; });
  return found == last ? nullptr : found->text;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the runtime's names
extern "C" [[gnu::visibility("default")]] const char* cudaGetErrorName(Error error) {
  const char* name = find(std::begin(kNames), std::end(kNames), error);
  return name != nullptr ? name : kUnrecognized;
}

extern "C" [[gnu::visibility("default")]] const char* cudaGetErrorString(Error error) {
  if (const char* text = find(std::begin(kMeanings), std::end(kMeanings), error)) return text;
  const char* text = nullptr;
  if (cuGetErrorString(error, &text) == kSuccess && text != nullptr) return text;
  return cudaGetErrorName(error);  // none that anything here gives
}

extern "C" [[gnu::visibility("default")]] ChannelFormat cudaCreateChannelDesc(int x, int y, int z,
                                                                              int w, int kind) {
  return {.x = x, .y = y, .z = z, .w = w, .kind = kind};
}
// NOLINTEND(readability-identifier-naming)

}  // namespace egpu::emu::runtime
