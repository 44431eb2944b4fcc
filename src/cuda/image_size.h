// How many bytes an image has that the application hands to the driver as a bare pointer.
#pragma once

#include <cstddef>

namespace egpu::cuda {

struct Image {
  // Inside the application: behind a fatbin wrapper's pointer where there is one.
  const void* data = nullptr;
  std::size_t size = 0;  // 0: not recognised
};

// Reads what the driver itself would read of `image`: a fatbin wrapper, a fatbin, a cubin or PTX
// text.
Image measure_image(const void* image);

}  // namespace egpu::cuda
