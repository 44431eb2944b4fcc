#include "base/result.h"

namespace egpu {

std::string to_string(const Error& error) {
  std::string text;
  if (!error.place.empty()) text += error.place + ": ";
  text += error.message;
  if (!error.remedy.empty()) text += " (" + error.remedy + ")";
  return text;
}

}  // namespace egpu
