// Copies between the program's memory and the device's, of any shape.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/abi.h"

namespace heddle::runtime {

class Runtime;

/// Bytes into the window, at its start; at most kWindowBytes. False: the device has refused.
bool fetch(Runtime& runtime, std::uint64_t address, std::uint64_t bytes);
Code write_bytes(Runtime& runtime, std::uint64_t address, const void* from, std::uint64_t bytes);
/// `internal`: the program has not asked for it.
Code read_bytes(Runtime& runtime, std::uint64_t address, void* to, std::uint64_t bytes,
                bool internal = false);

/// Rows of `width` bytes, and planes of rows.
struct Side {
  std::uint64_t address = 0;
  std::uint64_t pitch = 0, slice = 0;
};

/// Where the bytes are: cudaMemcpyKind, or for kDefault what the addresses say. Memory that host and device share is the host's.
/// Advances the device's time.
Code copy(Runtime& runtime, const Side& to, const Side& from, const Extent& extent, int kind);
Code fill(Runtime& runtime, const Side& to, int value, const Extent& extent);

}  // namespace heddle::runtime
