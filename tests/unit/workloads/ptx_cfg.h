// The control flow of a kernel, read off its PTX text line by line: enough to ask where the critical section
// of a lock lies. Deliberately independent of the front end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::workloads::testing {

struct PtxKernel {
  std::string name;
  std::vector<std::size_t> parameter_bytes;
  std::vector<std::string> code;                     ///< one instruction per line, guard included, trimmed
  std::vector<std::vector<std::size_t>> successors;  ///< code.size() stands for the exit

  [[nodiscard]] bool conditional(std::size_t i) const { return successors[i].size() == 2; }
  /// Instructions whose text contains `part`.
  [[nodiscard]] std::vector<std::size_t> all_with(const std::string& part) const;
  /// What can be reached from the successors of `from` without executing `barred`.
  [[nodiscard]] std::vector<bool> reach(std::size_t from, std::size_t barred) const;
  /// The immediate post-dominator: where lanes that part at `branch` meet again on a SIMT stack.
  [[nodiscard]] std::size_t immediate_post_dominator(std::size_t branch) const;
};

[[nodiscard]] std::vector<PtxKernel> read_ptx(const std::string& path);

}  // namespace heddle::workloads::testing
