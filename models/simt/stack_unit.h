// The SIMT stack of a core as a clocked block: what is on its pins in a cycle, and what it answers. Model (StackUnitModel) and RTL
// (rtl/simt_stack) stand behind one interface, so that both see the same pins.
//
// A requester is a scheduler of the core, or who launches warps and releases barriers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/block_timing.h"
#include "simt/stack_requests.h"

namespace heddle::simt {

/// Inputs of one cycle.
struct StackPins {
  static constexpr std::uint32_t kMostRequesters = 9;
  /// None is of a warp whose answer is outstanding.
  std::array<std::optional<StackRequest>, kMostRequesters> requests{};
};

/// What a request makes of a warp's stack, behind the first entry that it pushes.
struct StackWork {
  std::uint32_t pushes = 0;  ///< a second entry of a divergent branch
  std::uint32_t pops = 0;    ///< entries that go; none of a warp that ends
};
/// Cost of a request that is served. One that is not served waits for that of other requesters, each once at most.
[[nodiscard]] constexpr sim::BlockCost cost(const StackWork& work) {
  return {.answer = 2 + work.pushes + work.pops, .interval = 1 + work.pushes + work.pops};
}

/// Outputs of the state: the top.
struct StackAnswer {
  /// kDepth, kFrames: more entries, more nested calls than the block has; nothing was done.
  enum class Error : std::uint8_t { kNone, kDepth, kFrames };
  bool valid = false;
  WarpId warp{};
  Error error = Error::kNone;
  std::uint32_t depth = 0;  ///< 0: the warp has ended, and there is no top
  StackEntry top{};
  bool at_barrier = false;
  bool diverged = false;     ///< kBranch: lanes went both ways
  bool reconverged = false;  ///< an entry was popped at its RPC
  bool operator==(const StackAnswer& other) const {
    return valid == other.valid &&
           (!valid || (warp == other.warp && error == other.error && depth == other.depth &&
                       diverged == other.diverged && reconverged == other.reconverged &&
                       (depth == 0 || (top == other.top && at_barrier == other.at_barrier))));
  }
};

/// All entries of a warp, bottom first.
struct StackContents {
  std::vector<StackEntry> entries;
  bool at_barrier = false;  ///< the top waits at one
  bool operator==(const StackContents& other) const {
    return entries == other.entries && (entries.empty() || at_barrier == other.at_barrier);
  }
};

/// What hardware has; a request that would exceed it is answered with an error.
struct StackLimits {
  std::uint32_t depth = ~0u;   ///< entries of a warp
  std::uint32_t frames = ~0u;  ///< nested calls, the kernel included
};

class StackUnit {
 public:
  virtual ~StackUnit() = default;
  [[nodiscard]] virtual StackLimits limits() const = 0;
  [[nodiscard]] virtual StackAnswer answer() const = 0;
  /// The requester that is served. Combinational; nothing changes.
  [[nodiscard]] virtual std::optional<std::uint32_t> grant(const StackPins& pins, Cycle cycle) = 0;
  /// The clock edge that ends the cycle: what is on the pins takes effect.
  virtual void edge(const StackPins& pins, Cycle cycle) = 0;
  /// For diagnoses and comparisons. Of a warp whose answer is outstanding it means nothing.
  [[nodiscard]] virtual StackContents read(WarpId warp) const = 0;
};

class StackUnitModel final : public StackUnit {
 public:
  /// `requesters`: 1 to StackPins::kMostRequesters.
  StackUnitModel(std::uint32_t warps, std::uint32_t requesters, FirstSide first_side,
                 StackLimits limits = {});

  [[nodiscard]] StackLimits limits() const override { return limits_; }
  [[nodiscard]] StackAnswer answer() const override { return answer_; }
  [[nodiscard]] std::optional<std::uint32_t> grant(const StackPins& pins, Cycle cycle) override;
  void edge(const StackPins& pins, Cycle cycle) override;
  [[nodiscard]] StackContents read(WarpId warp) const override { return stacks_.at(warp.value()); }

  /// Cost of the request that was served last.
  [[nodiscard]] sim::BlockCost last_cost() const { return cost(work_); }

 private:
  using Entries = std::vector<StackEntry>;
  void serve(const StackRequest& request);
  void work(const StackRequest& request, StackContents& stack);
  void branch(const StackRequest& request, Entries& entries);
  void leave(const StackRequest& request, Entries& entries);
  void side(const StackRequest& request, Entries& entries);
  /// Pops while the top has reached its RPC.
  void settle(Entries& entries);

  std::vector<StackContents> stacks_;  ///< by warp
  std::uint32_t requesters_;
  FirstSide first_side_;
  StackLimits limits_;
  std::uint32_t last_;   ///< who was served last
  StackWork work_;       ///< of the request that was served last
  StackAnswer pending_;  ///< of the request in stage 2
  StackAnswer answer_;   ///< on the pins
  Cycle busy_ = 0;       ///< cycles until stage 2 has served its request; 0: it has none
};

/// Model and RTL on the same pins. In each cycle grant and answer must be the same, and all entries of a warp behind its answer; the
/// first difference ends the run.
[[nodiscard]] std::unique_ptr<StackUnit> lockstep_stack_unit(std::string path,
                                                             std::unique_ptr<StackUnit> model,
                                                             std::unique_ptr<StackUnit> rtl);

/// rtl/simt_stack, clocked once per core cycle.
struct ClockedSimtStackBlock {
  static constexpr const char* kName = "simt_stack, clocked";
  using Interface = StackUnit;
  struct Shape {
    std::uint32_t warps = 0;
    std::uint32_t requesters = 0;
    FirstSide first_side = FirstSide::kTaken;
  };
};

}  // namespace heddle::simt
