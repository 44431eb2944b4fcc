// Names and descriptions of results.
#include "emu/driver/functions.h"
#include "emu/driver/state.h"

namespace egpu::emu::driver {
namespace {

struct Text {
  Status status;
  const char* name;
  const char* description;
};

constexpr Text kTexts[] = {
#define EGPU_TEXT(constant, value, name, description) {value, "CUDA_" #name, description},
    EGPU_CUDA_STATUSES(EGPU_TEXT)
#undef EGPU_TEXT
};

Status find(Status status, const char** text, const char* Text::* member) {
  if (text == nullptr) return cuda::kInvalidValue;
  *text = nullptr;
  for (const Text& known : kTexts)
    if (known.status == status) *text = known.*member;
  return *text != nullptr ? cuda::kSuccess : cuda::kInvalidValue;
}

}  // namespace

Status get_error_name(Status status, const char** name) { return find(status, name, &Text::name); }

Status get_error_string(Status status, const char** text) {
  return find(status, text, &Text::description);
}

}  // namespace egpu::emu::driver
