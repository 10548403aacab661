// L1 data cache: holds data, is not coherent. Loads allocate on fill; stores and atomics go to L2 and evict
// the line (write-through, write-evict). LRU within a set. Misses to a line with a fill outstanding merge
// into its MSHR.
//
// A store to a line with a fill outstanding poisons the MSHR: the fill still serves the loads that came
// before the store, but the line is not installed and later loads do not merge, so a thread always sees its
// own stores.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "core/config.h"
#include "core/protocols.h"
#include "sim/block_socket.h"
#include "sim/memory_payload.h"
#include "sim/progress.h"
#include "sim/stats.h"

namespace heddle::core {

/// Who waits for a fill: a line access of a memory operation.
struct FillTarget {
  std::uint32_t op = 0;
  std::uint32_t access = 0;
};

struct L1dRequest {
  enum class Op : std::uint8_t {
    kLoad,   ///< look up `line` for `target`
    kWrite,  ///< a store or atomic to `line` passes by
    kFill,   ///< data of `line` for MSHR `mshr` arrived
    kFlush,  ///< invalidate everything (start of a kernel)
  };
  enum class Result : std::uint8_t {
    kHit,         ///< `data` points at the line
    kMissSend,    ///< a new MSHR: send a read for the line with tag `mshr`
    kMissMerged,  ///< the target waits for a fill already under way
    kBypass,      ///< the outstanding fill is poisoned: read the line past the cache
    kStall,       ///< no MSHR, or its targets are full: try again
  };
  Op op = Op::kLoad;
  std::uint64_t line = 0;
  FillTarget target;
  bool may_send = true;                 ///< kLoad: false: a new miss must stall (no room towards L2)
  const unsigned char* fill = nullptr;  ///< kFill

  Result result = Result::kStall;
  const unsigned char* data = nullptr;
  std::uint32_t mshr = 0;
  std::vector<FillTarget>* targets = nullptr;  ///< kFill: caller's list, replaced by the waiting targets
};
using L1dProtocol = ProtocolOf<L1dRequest>;

class L1DataCacheModel {
 public:
  L1DataCacheModel(const L1dConfig& config, sim::ProgressMonitor& progress);
  void serve(L1dRequest& request);

  std::uint64_t load_accesses = 0, load_hits = 0, load_misses = 0, load_merges = 0;
  std::uint64_t mshr_stalls = 0, write_evictions = 0, fills = 0, poisoned_fills = 0;

 private:
  struct Line {
    std::uint64_t tag = 0;  ///< line address
    std::uint64_t used = 0;
    bool valid = false;
  };
  struct Mshr {
    bool busy = false;
    bool poisoned = false;
    std::uint64_t line = 0;
    std::vector<FillTarget> targets;
  };
  void load(L1dRequest& request);
  void write(std::uint64_t line);
  void fill(L1dRequest& request);
  [[nodiscard]] std::size_t set_of(std::uint64_t line) const {
    return line / config_.line_bytes % sets_ * config_.ways;
  }
  [[nodiscard]] Line* find(std::uint64_t line);
  [[nodiscard]] unsigned char* bytes_of(const Line* line) {
    return data_.data() + static_cast<std::size_t>(line - lines_.data()) * config_.line_bytes;
  }
  [[nodiscard]] Mshr* find_mshr(std::uint64_t line);

  L1dConfig config_;
  sim::ProgressMonitor& progress_;
  std::size_t sets_;
  std::vector<Line> lines_;
  std::vector<unsigned char> data_;
  std::vector<Mshr> mshrs_;
  std::uint32_t mshrs_busy_ = 0;
  std::uint64_t clock_ = 0;  ///< LRU order
};

class L1DataCache : public sc_core::sc_module {
 public:
  L1DataCache(const sc_core::sc_module_name& name, const L1dConfig& config, sim::ProgressMonitor& progress,
              sim::StatGroup& stats);

 private:
  void serve(L1dRequest& request) { model_.serve(request); }

 public:
  sim::BlockTarget<L1dProtocol, L1DataCache, &L1DataCache::serve> l1d_tsock{"l1d_tsock", this};

 private:
  L1DataCacheModel model_;
};

}  // namespace heddle::core
