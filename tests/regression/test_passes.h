// Passes that change a kernel's code and not what it computes, for the tests of the compiler and of what the
// hardware model makes of the code.
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

/// no_operations: one in front of each instruction, jumps too; one in front of it, not for jumps; one behind it.
/// lane_counter: the same three with an addition to a register of its own.
/// anywhere: any of these at a third of the places.
/// second_guard: instructions that would destroy registers, under a predicate and its complement.
/// code_addresses: returns and indirect branches go by code address, in instructions of 16 bytes.
/// launch_constants: parameters and the launch's shape come from constant rows.
[[nodiscard]] const std::vector<TestPass>& test_passes();
[[nodiscard]] std::shared_ptr<const compiler::Pass> test_pass(const std::string& name);
/// Adds all of them.
void add_test_passes(compiler::Pipeline& pipeline);

}  // namespace heddle::testing
