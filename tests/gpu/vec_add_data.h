// The inputs of the vec_add programs and the check of their result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

struct VecAddData {
  explicit VecAddData(std::size_t n) : a(n), b(n), c(n) {
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = 0.5f * static_cast<float>(i % 1013);
      b[i] = 0.25f * static_cast<float>(i % 4099);
    }
  }

  // Prints what was launched and a checksum (FNV-1a) of the result's bytes. The program's exit
  // status.
  int report(unsigned long launches, unsigned long long threads) const {
    std::uint64_t checksum = 14695981039346656037ull;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (c[i] != a[i] + b[i]) ++wrong;
      for (unsigned byte = 0; byte < sizeof(float); ++byte) {
        checksum ^= reinterpret_cast<const unsigned char*>(&c[i])[byte];
        checksum *= 1099511628211ull;
      }
    }
    std::printf("launches=%lu threads=%llu wrong=%zu checksum=%016llx\n", launches, threads, wrong,
                static_cast<unsigned long long>(checksum));
    return wrong == 0 ? 0 : 1;
  }

  std::vector<float> a, b, c;
};
