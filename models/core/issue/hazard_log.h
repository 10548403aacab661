// What control codes would have let through: an instruction that issues before a value it needs is there. One log a GPU; the cores'
// dependence counters write to it when core.scoreboard.check_hazards is set.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/ids.h"
#include "isa/kernel.h"

namespace heddle::core {

using base::Cycle;

enum class HazardKind : std::uint8_t {
  kReadAfterWrite,   ///< the reader gets the old value
  kWriteAfterWrite,  ///< the older value stays
  kWriteAfterRead,   ///< the reader gets the new value
};

/// One hazard, as the issue logic sees it.
struct CodeHazard {
  HazardKind kind = HazardKind::kReadAfterWrite;
  const isa::Instruction* late = nullptr;     ///< the second instruction: the codes let it issue too early
  const isa::Instruction* earlier = nullptr;  ///< the one whose value, or whose read, is not there yet
  isa::RegId reg = isa::kNoReg;
  Cycle distance =
      0;  ///< core cycles from the earlier one's issue to the first cycle in which the codes let the late one issue
  Cycle needed = 0;  ///< distance that would have been enough; 0: not known, it ends with a memory access
};

class HazardLog {
 public:
  /// The same pair of instructions and register, all its occurrences.
  struct Entry {
    std::shared_ptr<const isa::Kernel> kernel;
    CodeHazard hazard;        ///< with the smallest distance
    std::uint64_t count = 0;  ///< warp instructions
    [[nodiscard]] std::string text() const;
  };
  /// Hazards are of this kernel from now on.
  void begin_launch(std::shared_ptr<const isa::Kernel> kernel) { kernel_ = std::move(kernel); }
  void add(const CodeHazard& hazard);
  /// In the order of kernels' first launches and of code.
  [[nodiscard]] std::vector<Entry> entries() const;
  [[nodiscard]] bool empty() const { return found_.empty(); }
  /// Some lines: the first entries, and how many there are; empty: nothing was found.
  [[nodiscard]] std::string text() const;

 private:
  using Key = std::tuple<std::size_t, const isa::Instruction*, const isa::Instruction*, isa::RegId>;
  std::shared_ptr<const isa::Kernel> kernel_;
  std::vector<const isa::Kernel*> kernels_;  ///< that have hazards, as they came
  std::map<Key, Entry> found_;
};

}  // namespace heddle::core
