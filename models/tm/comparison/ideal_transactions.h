// Ideal transactional memory in a core (ideal_memory.h), instead of logs and commits.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "tm/access_log.h"
#include "tm/commit_port.h"
#include "tm/commit_protocol.h"
#include "tm/committed_ids.h"
#include "tm/comparison/ideal_stores.h"
#include "tm/core_signals.h"
#include "tm/transaction_shared.h"

namespace heddle::tm {

class IdealTransactions final : public AccessLog, public CommitProtocol {
 public:
  /// `first_warp`: of the core, in the GPU. `line_bytes`: of what it writes to L2.
  IdealTransactions(IdealWrites writes, std::size_t warps, std::uint64_t first_warp, std::uint32_t line_bytes,
                    sim::MemoryPool& pool, TransactionShared& shared, CommittedIds& ids, CommitPort& port,
                    CoreSignals& signals);

  // AccessLog
  [[nodiscard]] std::optional<unsigned> append(WarpId id, const AccessRow& row, std::uint32_t tag) override;
  void look_up(WarpId id, AccessWords& words, std::uint32_t tag) override;
  void leaves(WarpId id, LaneMask lanes, const AccessWords& words, std::uint32_t tag) override;
  [[nodiscard]] std::uint32_t arrived(std::uint32_t tag, unsigned lane, unsigned word,
                                      std::uint32_t value) const override;

  // CommitProtocol
  void commit(const Attempt& attempt) override;
  /// Never: an attempt knows at its end, and nowhere else, whether it is valid.
  void validate(const Attempt& attempt) override;
  [[nodiscard]] CommitStage stage(WarpId id) const override { return warps_[id.value()].stage; }
  [[nodiscard]] Outcome outcome(WarpId /*id*/) const override { return {}; }
  [[nodiscard]] Conclusion conclude(WarpId id) override;
  [[nodiscard]] bool holds_fences() const override { return stores_.has_value(); }
  [[nodiscard]] bool holds_fence(WarpId id, LaneMask lanes) override;
  void tick(Cycle cycle) override;
  [[nodiscard]] Cycle due(Cycle /*now*/) const override { return base::kNever; }

 private:
  struct Warp {
    Attempt attempt;
    LaneMask passed;
    CommitStage stage = CommitStage::kNone;
  };
  /// A word that was on its way to L2 when it was asked for there.
  struct LateWord {
    unsigned lane = 0, word = 0;
    IdealMemory::Bytes bytes;
  };

  void clear(WarpId id, LaneMask lanes) override;
  [[nodiscard]] IdealMemory::Owner owner(WarpId id, unsigned lane) const {
    return static_cast<IdealMemory::Owner>((first_warp_ + id.value()) * base::kLanes + lane);
  }
  void decide(Cycle cycle);
  void send_store(Cycle cycle);
  void store_performed(WarpId id);
  void resolved(WarpId id);

  const std::uint64_t first_warp_;
  const std::uint32_t line_bytes_;
  sim::MemoryPool& pool_;
  TransactionShared& shared_;
  IdealMemory& memory_;
  CommittedIds& ids_;
  CommitPort& port_;
  CoreSignals& signals_;
  std::optional<IdealStores> stores_;  ///< tm.ideal.writes=stores
  std::vector<Warp> warps_;
  std::vector<std::vector<LateWord>> late_;      ///< by access
  std::deque<std::pair<WarpId, Cycle>> asking_;  ///< warps that wait for outcomes, and since when
};

}  // namespace heddle::tm
