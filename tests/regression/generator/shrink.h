// Reduces a failing kernel to the part needed for the failure.
#pragma once

#include <functional>

#include "generator/generated_kernel.h"

namespace heddle::generator {

/// True if the kernel still shows the failure.
using Fails = std::function<bool(const GeneratedKernel&)>;

/// Removes statements, unwraps compound ones and reduces the launch while `fails` holds; calls it at most
/// `attempts` times. Returns the tree unchanged if nothing can be removed. `fails` must hold for the given
/// tree.
[[nodiscard]] KernelTree shrink(const KernelTree& tree, const Fails& fails, unsigned attempts = 2000);

/// Statements in the tree, nested ones included.
[[nodiscard]] std::size_t size_of(const KernelTree& tree);

}  // namespace heddle::generator
