// Passes that change a kernel's code but not its results, for the tests of the compiler and of the hardware
// model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/pipeline.h"

namespace heddle::testing {

struct TestPass {
  const char* name;
  std::function<std::shared_ptr<const compiler::Pass>()> make;
};

/// no_operations: one before each instruction, also for jumps; one before it, not for jumps; one after it.
/// lane_counter: the same three with an addition to an additional register.
/// anywhere: any of these at a third of the insertion points.
/// second_guard: instructions that would destroy registers, under a predicate and its complement.
/// code_addresses: returns and indirect branches use code addresses, in instructions of 16 bytes.
/// launch_constants: parameters and launch dimensions come from constant rows.
[[nodiscard]] const std::vector<TestPass>& test_passes();
[[nodiscard]] std::shared_ptr<const compiler::Pass> test_pass(const std::string& name);
/// Adds all of them.
void add_test_passes(compiler::Pipeline& pipeline);

}  // namespace heddle::testing
