// What the transaction units of all cores share, and what they tell who listens: commits, and words that were read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/ids.h"
#include "system/gpu_mechanism.h"
#include "tm/commit_id.h"
#include "tm/comparison/ideal_memory.h"
#include "tm/retire_board.h"

namespace heddle::tm {

/// A transaction that has committed: the order of ids is the order in which transactions seem to have happened. Those that
/// neither read nor wrote global memory have the id of their thread's transaction before.
struct CommitRecord {
  Cid cid = 0;
  std::uint64_t warp = 0;  ///< number in the grid
  unsigned lane = 0;
  bool silent =
      false;  ///< it stands behind the transaction with this id, which is another thread's or its own last one
  std::uint64_t sequence = 0;  ///< of the record within its core
};

/// A word that an attempt has read from memory; of attempts that fail, too.
struct ReadRecord {
  std::uint64_t warp = 0;  ///< number in the grid
  unsigned lane = 0;
  std::uint64_t attempt = 0;  ///< of the warp
  std::uint64_t address = 0;
  std::uint32_t value = 0;
};

/// What the cores of a GPU share.
struct TransactionShared {
  explicit TransactionShared(std::uint32_t partitions) : board(partitions) {}
  RetireBoard board;
  std::function<void(const CommitRecord&)> on_commit;  ///< may be empty
  std::function<void(const ReadRecord&)> on_read;      ///< likewise
  std::uint32_t flit_bytes = 32;                       ///< of the network between cores and commit units
  std::uint32_t header_bytes = 8;                      ///< of its packets
  std::uint32_t credits = 0;           ///< entries of the ring that a core may have; 0: any number
  std::unique_ptr<IdealMemory> ideal;  ///< of protocol ideal
  std::uint8_t store_client = 0;       ///< of cores' memory ports: who sends what it writes (tm.ideal.writes)
  std::uint64_t stores_out = 0;        ///< packets of it that L2 has not performed
  std::function<void()> on_stores_performed;  ///< it has performed all
  /// A transaction takes longer than tm.hang_cycles: ends the launch.
  std::function<void(const system::MechanismHang& hang)> on_hang;
  std::uint64_t committed = 0;   ///< transactions of threads
  base::Cycle committed_at = 0;  ///< the last of them
  /// What is known of the conflicts of a warp of a core; empty: nothing.
  std::function<std::string(std::uint32_t core, std::uint32_t warp)> conflict_of;
};

}  // namespace heddle::tm
