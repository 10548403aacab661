// Finds threads of one warp that access a word of global memory in another order than a warp in lockstep would
// ([TBC] §3.2, §3.3.2), where nothing but lockstep orders them: such a kernel gets other values than on a SIMT stack.
//
// In lockstep two accesses have an order if the innermost region that both belong to (execution_index.h) has two points for
// them, of which the one post-dominates the other. An access in another order is a deviation unless
// * a value that other threads may have written decides, between that region and one of the accesses, whether it is executed: the
//   kernel asks before it acts, as programs do whose result any order leaves right (bfs), and those that hold a lock;
// * it polls: a load that is repeated until its value is right;
// * the first of the two threads has synchronised (barrier, .sync) since; or it has executed a fence, an atomic or a volatile or
//   stronger store since (or its access is one), and the second one an atomic that returns a value, or a volatile load whose value decides on something:
//   that is how threads hand something over;
// * it leaves the word's value as it is.
// Accesses are compared as they issue. Words are remembered in a table of bounded size, whose entries have one warp each. Threads
// whose regions are too many to be remembered are followed no more: less is found then, and nothing that is not there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/lane_mask.h"
#include "compaction/execution_index.h"
#include "compaction/lockstep_program.h"
#include "core/protocols/issue_tap_protocol.h"

namespace heddle::compaction {

/// Barriers and .sync instructions.
[[nodiscard]] inline bool synchronises(const isa::Instruction& instruction) {
  return instruction.op == isa::Opcode::kBarrier || instruction.op == isa::Opcode::kWarpSync;
}

class LockstepOrder {
 public:
  static constexpr std::size_t kPlaces = std::size_t{1} << 14;

  explicit LockstepOrder(std::uint32_t warps);

  void begin_launch(const std::shared_ptr<const isa::Kernel>& kernel);
  /// A warp starts in the slot.
  void start(base::WarpId home);
  /// issue() must hear of the instruction.
  [[nodiscard]] bool wants(base::Pc pc) const;
  /// access() must hear of the instruction.
  [[nodiscard]] bool compares(base::Pc pc) const { return program_ != nullptr && program_->exchanges(pc); }
  void issue(const core::IssueTapRequest& issue);

  struct Access {
    base::WarpId home{};
    std::uint64_t warp = 0;  ///< number in the grid
    unsigned lane = 0;
    base::Pc pc{};
    std::uint64_t word = 0;              ///< address / 4
    std::uint8_t bytes = 0;              ///< of it, bit per byte
    bool writes = false;                 ///< otherwise it reads
    std::optional<std::uint64_t> value;  ///< written, if known
  };
  /// An earlier access that lockstep would have put behind this one.
  struct Deviation {
    unsigned lane = 0;
    base::Pc pc{};
    bool wrote = false;
  };
  [[nodiscard]] std::optional<Deviation> access(const Access& access);

 private:
  static constexpr ExecutionIndex::Region kLost = ~0u;  ///< of a thread that is not followed any more
  struct Thread {
    ExecutionIndex::Region region = ExecutionIndex::kKernel;
    // Times of its last such instructions.
    std::uint64_t synchronised = 0, released = 0, acquired = 0;
  };
  struct Touch {
    unsigned lane = 0;
    std::uint8_t bytes = 0;
    base::Pc pc{};
    ExecutionIndex::Region region = ExecutionIndex::kKernel;
    std::uint64_t at = 0;
  };
  /// Accesses by threads of one warp, and what any warp wrote last.
  struct Word {
    std::uint64_t word = ~std::uint64_t{0};
    std::uint64_t warp = 0;
    std::optional<std::uint64_t> value;
    std::uint8_t value_bytes = 0;
    std::optional<Touch> written;  ///< last, by this warp
    std::vector<Touch> read;       ///< since, by thread the last
  };
  [[nodiscard]] Thread& thread(base::WarpId home, unsigned lane) {
    return threads_[home.value() * std::size_t{base::kLanes} + lane];
  }
  [[nodiscard]] bool deviates(const Touch& before, const Access& access);
  void part(const core::IssueTapRequest& issue);
  void note_order(const isa::Instruction& instruction, Thread& thread) const;
  [[nodiscard]] Word& place(const Access& access);
  void forget_regions();

  std::map<std::shared_ptr<const isa::Kernel>, LockstepProgram> programs_;
  const LockstepProgram* program_ = nullptr;  ///< null: threads exchange nothing
  const isa::Kernel* kernel_ = nullptr;
  ExecutionIndex index_;
  std::vector<Thread> threads_;  ///< by home warp, then lane
  std::vector<Word> words_;      ///< empty until they are needed
  std::uint64_t now_ = 0;        ///< counts what is compared
};

}  // namespace heddle::compaction
