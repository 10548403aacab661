// Copies between the program's memory and the device's, of any shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

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
/// What copy() would say before it moves a byte.
[[nodiscard]] Code check_copy(const Runtime& runtime, const Side& to, const Side& from, const Extent& extent,
                              int kind);
/// Values of `size` bytes (1, 2 or 4) each, of whose address and width it is a divisor.
Code fill(Runtime& runtime, const Side& to, std::uint32_t value, const Extent& extent,
          std::uint32_t size = 1);

/// A copy of rows of host memory, packed: what a copy that has to wait reads of pageable memory. nullptr: there are no such rows.
[[nodiscard]] std::shared_ptr<std::vector<std::byte>> staged(const Side& from, const Extent& extent);
/// Whether a copy of this kind reads the address as pageable memory.
[[nodiscard]] bool is_pageable(const Runtime& runtime, std::uint64_t from, int kind);

}  // namespace heddle::runtime
