// Asks the service what to load in place of an image.
#pragma once

#include "inject/shared_memory.h"

namespace egpu::inject {

// The image to load instead; empty where the original is to be loaded.
Mapping replacement_of_image(const void* image);
Mapping replacement_of_file(const char* path);

}  // namespace egpu::inject
