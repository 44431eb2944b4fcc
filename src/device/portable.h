// What helpers do, whatever runs them: included by the GPU runtime (C) and by the code generator's
// host runtime (C++). No memory but what the arguments point to, no call.
#pragma once

// As strncmp() of Linux: the sign of the first difference among the first `size` bytes, up to a
// NUL.
static inline int egpu_compare_text(const char* left, unsigned long long size, const char* right) {
  for (unsigned long long i = 0; i < size; ++i) {
    const unsigned char a = (unsigned char)left[i];
    const unsigned char b = (unsigned char)right[i];
    if (a != b) return a < b ? -1 : 1;
    if (a == 0) break;
  }
  return 0;
}

// Fills `size` bytes (1 or more) at `buffer` with a command of 16 bytes, given as two little-endian
// halves: cut where it is too long, NUL-terminated, zeros behind it.
static inline void egpu_fill_command(char* buffer, unsigned long long size, unsigned long long low,
                                     unsigned long long high) {
  for (unsigned long long i = 0; i < size; ++i) {
    const unsigned long long half = i < 8 ? low : high;
    const char byte = (char)(half >> (i % 8 * 8));
    buffer[i] = i < 16 && i + 1 < size ? byte : (char)0;
  }
}

// Spreads every bit of `value` over the result: the finaliser of splitmix64 (Steele, Lea and Flood,
// "Fast splittable pseudorandom number generators", 2014).
static inline unsigned long long egpu_mix(unsigned long long value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

// The same of 32 bits, in fewer instructions: the finaliser of MurmurHash3 (Appleby).
static inline unsigned int egpu_mix_32(unsigned int value) {
  value = (value ^ (value >> 16)) * 0x85ebca6bU;
  value = (value ^ (value >> 13)) * 0xc2b2ae35U;
  return value ^ (value >> 16);
}

// Whether a block is in a sample of one block of `one_of` (1 and up): the same for all programs,
// and for whoever asks later. `block`: x + y * grid width + z * grid width * grid height.
static inline unsigned int egpu_is_sample(unsigned long long grid_id, unsigned long long block,
                                          unsigned int one_of) {
  const unsigned long long hash = egpu_mix(egpu_mix(grid_id) + block);
  return ((hash >> 32) * one_of) >> 32 == 0;
}
