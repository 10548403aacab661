// Why two correct runs of a program may differ: what its kernels do whose result CUDA leaves open.
#pragma once

#include <string>
#include <vector>

#include "isa/kernel.h"

namespace heddle::cli {

/// What a kernel does that depends on the order of threads, on time or on where it runs: "adds floating-point numbers by atomics and reads a clock". Empty:
/// nothing, but for races.
[[nodiscard]] std::string order_dependence(const isa::Kernel& kernel);

/// A kernel that does so, and how many copies to the host the program had made before its first launch.
struct OrderNote {
  std::size_t copies = 0;
  std::string kernel, does;
};

/// A line of text for each, and back.
[[nodiscard]] std::string text_of(const OrderNote& note);
[[nodiscard]] std::vector<OrderNote> order_notes_of(const std::string& text);

/// What to do about the first copy that differs, by number from 0 on.
[[nodiscard]] std::string remedy_for_difference(const std::vector<OrderNote>& notes, std::size_t copy);

}  // namespace heddle::cli
