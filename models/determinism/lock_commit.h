// Lock-based commit, what the Z-buffer units are compared with ([GPUDet] §6.2.2): the algorithm that a deterministic
// runtime in software uses. Each wavefront works on one entry of its log at a time:
//
//   lock    atomicCAS(&lock[chunk], 0, 1) until it was 0
//   depths  read, of the entry's words; compared with the entry's depth
//   update  the words that pass and their depths are written
//   fence   until both writes are acknowledged
//   unlock  atomicExch(&lock[chunk], 0)
//
// All of it is traffic through the memory port to L2: the entry's bytes, the depths and the locks are in device memory
// (address_space.h). One transaction per core cycle.
#pragma once

#include <set>
#include <vector>

#include "base/ring.h"
#include "determinism/address_space.h"
#include "determinism/commit_engine.h"

namespace heddle::determinism {

class LockCommit : public CommitEngine {
 public:
  LockCommit(const sc_core::sc_module_name& name, const LockCommitConfig& config, const CommitSite& site);

 protected:
  void send(CommitRequest& request) override;
  void tick(base::Cycle cycle) override;
  void reset_depths(base::Cycle cycle) override;
  void receive(sim::MemoryTransaction& response, base::Cycle cycle) override;
  [[nodiscard]] base::Cycle due() const override { return due_; }

 private:
  /// What a wavefront's entry sends next, or waits for the answer of.
  enum class Step : std::uint8_t { kFree, kLock, kDepths, kColors, kNewDepths, kFence, kUnlock };
  struct Entry {
    Step step = Step::kFree;
    std::uint64_t chunk = 0;
    ChunkData data{};
    ByteMask mask;
    Depth depth = 0;
    WordMask passed = 0;
    unsigned writes = 0;    ///< not acknowledged
    base::Cycle retry = 0;  ///< kLock: not before
  };

  void ready(std::uint32_t slot);
  /// The transaction of the entry's step.
  [[nodiscard]] sim::MemoryTransaction& make(const Entry& entry);
  [[nodiscard]] sim::MemoryTransaction& lock_operation(const Entry& entry, isa::AtomicOp op,
                                                       std::uint32_t value);
  [[nodiscard]] sim::MemoryTransaction& write_depths(const Entry& entry);
  /// The transaction of the entry's step has gone to the port.
  void sent(std::uint32_t slot);
  void compare(Entry& entry, const sim::MemoryTransaction& depths);
  void received(std::uint32_t slot, const sim::MemoryTransaction& response, base::Cycle cycle);
  void send_reset(base::Cycle cycle);
  void set_due(base::Cycle cycle);

  LockCommitConfig config_;
  AddressSpace addresses_;
  std::vector<Entry> entries_;        ///< by wavefront slot
  base::Ring<std::uint32_t> ready_;   ///< slots that have something to send
  base::Ring<std::uint32_t> asleep_;  ///< slots that try a lock again later, in order
  base::Cycle due_ = base::kNever;

  std::set<std::uint64_t> depth_lines_;  ///< chunks whose depths this core has written since the last reset
  std::vector<std::uint64_t> to_reset_;  ///< descending
  std::uint64_t resets_outstanding_ = 0;

  std::uint64_t attempts_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t color_words_ = 0;
  std::uint64_t losers_ = 0;
};

}  // namespace heddle::determinism
