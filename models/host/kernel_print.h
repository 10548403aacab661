// printf of a kernel: the format and its packed arguments, as compilers pass them to vprintf, to text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace heddle::host {

/// Reads a thread's memory by generic address; throws if it cannot.
using ReadBytes = std::function<void(std::uint64_t address, std::span<std::byte> bytes)>;

/// The string of zero-terminated bytes at `address`, cut at 64 KiB.
[[nodiscard]] std::string read_string(const ReadBytes& read, std::uint64_t address);

struct Printed {
  std::string text;
  std::uint32_t arguments = 0;  ///< conversions that took one
};

/// C's printf: %d %i %u %o %x %X %c %s %p %f %F %e %E %g %G %a %A %%, flags, width and precision (also *),
/// and lengths. Arguments lie one behind the other at multiples of their sizes: 4 bytes for what is no longer
/// than an int, 8 for long, pointers and double. A conversion that is none is printed as it stands.
[[nodiscard]] Printed format_print(const ReadBytes& read, std::uint64_t format, std::uint64_t arguments);

}  // namespace heddle::host
