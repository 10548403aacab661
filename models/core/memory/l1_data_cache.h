// L1 data cache: holds data, is not coherent. Loads allocate on fill; misses to sectors with a fill
// outstanding merge into its MSHR, and fetch the other sectors alone.
//
// Stores (core.l1d.global_write, local_write; [GPUDet] §2.1.2: write-evict for global, write-back for private):
//   write_evict    to L2; the line leaves the cache
//   write_through  to L2; a copy in the cache is updated
//   write_through_allocate  the same; if there is no copy one is made, of the written bytes alone. A load of others fetches
//   write_back     into the cache, which allocates the line without fetching it and remembers which bytes
//   were
//                  written; they go to L2 when the line is replaced. Local memory only: nobody else reads it
//
// A store that goes to L2 while a fill of its line is outstanding poisons the MSHR: the fill still serves the
// loads that came before the store, but the line is not installed and later loads do not merge, so a thread
// always sees its own stores. So do atomics, strong loads that L2 serves, and an acquire, the latter to the fills of all
// lines that other cores may write. A write_back store to such a line waits for the fill, so lines being filled are
// never dirty. A load of bytes that were neither written nor fetched sends the written ones to L2 first and
// then fetches the line: L2 puts the two together.
//
// Sectored caches (core.l1d.sector_bytes) fetch and hold the sectors of a line one by one. Caches that are
// not have one sector, the line.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "base/host_heap.h"
#include "base/stats.h"
#include "cache/mshr_table.h"
#include "cache/tag_array.h"
#include "core/config.h"
#include "core/protocols/lsu_protocol.h"
#include "core/protocols/protocol_of.h"
#include "sim/block_socket.h"
#include "sim/memory_payload.h"
#include "sim/progress.h"

namespace heddle::core {

/// Who waits for a fill: these sectors of a line access of a memory operation.
struct FillTarget {
  std::uint32_t op = 0;
  std::uint16_t access = 0;
  sim::SectorMask sectors = 1;
};

/// A line with its written bytes, on its way to L2. `enables`: 0xff for a written byte, else 0.
struct DirtyLine {
  std::uint64_t line = 0;
  const unsigned char* data = nullptr;
  const unsigned char* enables = nullptr;
};

struct L1dRequest {
  enum class Op : std::uint8_t {
    kLoad,        ///< look up `sectors` of `line` for `target`
    kStore,       ///< `data` where `enables` goes into the cache (write_back)
    kPass,        ///< the same passes by on its way to L2: update (`update`) or evict the copy
    kAtomic,      ///< an atomic to `line` passes by: evict the copy
    kStrongLoad,  ///< a load that L2 serves, whose value no later load may fall behind: evict the copy
    kFill,        ///< `data` of MSHR `mshr` arrived
    kInvalidate,  ///< start of a kernel: forget everything, unwritten data of dead local memory included; `kib` from now on
    /// The same of lines that others may have written ([GPUDet] §4.4): lines in `own`, local memory, stay, and so
    /// do unwritten data, which nobody else reads. Fills under way serve who waits for them and are not installed.
    kInvalidateGlobal,
    // transport_dbg only: is that so of the byte at address `line`? kHit if it is. Nothing changes.
    kHeld,       ///< a load would find it here, at `line_data`
    kUnwritten,  ///< a store wrote it and L2 does not have it yet: it is at `line_data`
    kFetched,    ///< a line that holds it is on its way here
    kForeign,    ///< not of a byte: a line outside `own` is here, the first at `line`
    kNoPlace,    ///< of a line: it is neither here nor on its way, and all MSHRs are in use
  };
  enum class Result : std::uint8_t {
    kHit,         ///< `found` sectors are all of them; or the store is done
    kPartial,     ///< kLoad: the missing sectors are dirty in parts: ask again with `enables` = bytes wanted
    kMissSend,    ///< a new MSHR: fetch `fetch` sectors of the line with tag `mshr`
    kMissMerged,  ///< the target waits for fills already under way
    kBypass,      ///< the outstanding fill is poisoned: read the line past the cache
    kMshrs,  ///< no MSHR, its targets are full, or a store must wait for the fill: try again after a fill
    kPort,   ///< room towards L2 is needed: try again when there is
  };
  Op op = Op::kLoad;
  std::uint64_t line = 0;
  FillTarget target{};                     ///< kLoad
  bool may_send = true;                    ///< false: no room towards L2
  bool update = false;                     ///< kPass
  bool allocate = false;                   ///< kPass with `update`: a copy is made if there is none
  std::uint32_t kib = 0;                   ///< kInvalidate: size of the cache; 0: as it is
  const unsigned char* data = nullptr;     ///< kStore, kPass, kFill: line image
  const unsigned char* enables = nullptr;  ///< kStore, kPass; kLoad: see kPartial
  const std::vector<AddressRange>* own =
      nullptr;  ///< kInvalidateGlobal, kForeign: what only this core reads and writes

  Result result = Result::kHit;
  sim::SectorMask found = 0;  ///< kLoad: sectors of `line_data` that hold what was asked for
  const unsigned char* line_data = nullptr;
  std::uint32_t mshr = 0;
  sim::SectorMask fetch =
      0;  ///< kMissSend, and kPort if nothing but room is missing for it: sectors that are not under way
  std::uint32_t fills = 0;              ///< kMissSend, kMissMerged: whose target it is now
  bool full = false;                    ///< kMissSend: that was the last MSHR
  const FillTarget* targets = nullptr;  ///< kFill: who waited; valid until the next request
  std::uint32_t target_count = 0;
  bool writes_back = false;  ///< `dirty` is to be sent to L2 before anything else
  DirtyLine dirty{};         ///< valid until the next request
};
using L1dProtocol = ProtocolOf<L1dRequest>;

class L1dPort : public sim::BlockInitiator<L1dProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = L1dRequest::Op;

  /// Again with the same request after kPartial and kPort, in the same cycle.
  void load(L1dRequest& look_up) { call(look_up); }
  void invalidate(std::uint32_t kib) { call({.op = Op::kInvalidate, .kib = kib}); }
  void invalidate_global(const std::vector<AddressRange>& own) {
    call({.op = Op::kInvalidateGlobal, .own = &own});
  }
  // Questions. Nothing changes.
  [[nodiscard]] L1dRequest ask(Op question, std::uint64_t address) {
    return inspect({.op = question, .line = address});
  }
  [[nodiscard]] L1dRequest foreign(const std::vector<AddressRange>& own) {
    return inspect({.op = Op::kForeign, .own = &own});
  }
};

class L1DataCacheModel {
 public:
  /// `config.size_kib` is the resolved size (CoreConfig::resolved_l1d()).
  L1DataCacheModel(const L1dConfig& config, sim::ProgressMonitor& progress);
  void serve(L1dRequest& request);
  /// The questions.
  void inspect(L1dRequest& request) const;

  std::uint64_t load_accesses = 0, load_hits = 0, load_misses = 0, load_merges = 0;
  std::uint64_t store_hits = 0, store_allocations = 0, write_backs = 0;
  std::uint64_t write_evictions = 0, write_updates = 0, fills = 0, poisoned_fills = 0;
  std::uint64_t load_evictions = 0, invalidated_lines = 0, write_allocations = 0;
  /// Capacity of the present launch.
  [[nodiscard]] const std::uint32_t& kib() const { return config_.size_kib; }

 private:
  static constexpr std::uint64_t kInvalid = cache::TagArray::kEmpty;  ///< no line starts at an odd address
  static constexpr std::uint32_t kNoFrame = cache::TagArray::kNone;
  struct Frame {
    sim::SectorMask valid = 0;  ///< sectors that hold all of their bytes
    bool marked = false;        ///< written() marks bytes: they are here though their sector may not be valid
    bool dirty = false;         ///< those bytes differ from L2
  };

  void load(L1dRequest& request);
  /// `fetch` is fetched; other fills bring the rest of what is missing.
  void miss(L1dRequest& request, sim::SectorMask fetch);
  /// Becomes a target of the fills under way that have sectors it misses. They have room. Returns how many these are.
  std::uint32_t wait_for_fills(const L1dRequest& request);
  void store(L1dRequest& request);
  void pass(L1dRequest& request, std::uint64_t& evictions);
  void fill(L1dRequest& request);
  /// Forgets everything; the size is `kib` from now on, 0: as it is.
  void invalidate(std::uint32_t kib);
  /// The request's bytes go into the frame, which remembers them where their sector is not valid (`allocate`).
  void update(std::uint32_t frame, const L1dRequest& request);
  /// What stores wrote counts no longer, but in valid sectors.
  void unmark(std::uint32_t frame);
  void invalidate_global(const std::vector<AddressRange>& own);
  void evict(std::uint32_t frame, L1dRequest& request);
  void write_back(std::uint32_t frame, L1dRequest& request);
  /// The line takes the place of the frame's.
  void replace(std::uint32_t frame, std::uint64_t line, L1dRequest& request);
  void poison(std::uint64_t line);
  [[nodiscard]] bool covers(std::uint32_t frame, const unsigned char* wanted, sim::SectorMask sectors) const;
  /// Sectors of the frame that were written completely become valid.
  void complete_sectors(std::uint32_t frame);
  /// The byte at an address if a store wrote it and L2 does not have it yet; nullptr otherwise.
  [[nodiscard]] const unsigned char* unwritten(std::uint64_t address) const;
  /// The first line that is here and outside `own`, or kInvalid.
  [[nodiscard]] std::uint64_t foreign(const std::vector<AddressRange>& own) const;
  /// The byte at an address if a load would find it here; nullptr otherwise.
  [[nodiscard]] const unsigned char* held(std::uint64_t address) const;

  [[nodiscard]] std::uint32_t find(std::uint64_t line) const { return tags_.find(line >> line_shift_, line); }
  /// The frame to replace in the line's set.
  [[nodiscard]] std::uint32_t victim(std::uint64_t line) const { return tags_.victim(line >> line_shift_); }
  [[nodiscard]] unsigned char* bytes_of(std::uint32_t frame) {
    return data_.get() + (std::size_t{frame} << line_shift_);
  }
  [[nodiscard]] unsigned char* written(std::uint32_t frame) {
    return written_.get() + (std::size_t{frame} << line_shift_);
  }
  [[nodiscard]] const unsigned char* written(std::uint32_t frame) const {
    return written_.get() + (std::size_t{frame} << line_shift_);
  }

  L1dConfig config_;
  std::uint32_t line_bytes_;
  std::uint32_t line_shift_;
  std::uint32_t sector_bytes_;
  sim::SectorMask all_sectors_;
  cache::TagArray tags_;
  std::vector<Frame> frames_;
  base::ZeroedBlock data_;
  base::ZeroedBlock written_;  ///< per byte 0xff if a store wrote it; all 0 in frames that are not marked
  cache::MshrTable<FillTarget> mshrs_;
  std::vector<sim::SectorMask> fetching_;  ///< by MSHR: sectors under way
  std::vector<std::uint8_t> poisoned_;     ///< by MSHR
  std::array<unsigned char, sim::kMaxLineBytes> victim_data_{};
  std::array<unsigned char, sim::kMaxLineBytes> victim_enables_{};
  sim::ProgressMonitor& progress_;
  bool empty_ = true;  ///< no line has been placed since the last launch began: there is nothing to clear
  /// Nothing has been fetched since invalidate_global(): there is nothing to forget.
  bool forgotten_ = true;
  /// A line that is not here and not on its way; kInvalid: none is known. The one that was asked for last (kNoPlace).
  mutable std::uint64_t absent_ = kInvalid;
};

class L1DataCache : public sc_core::sc_module {
 public:
  L1DataCache(const sc_core::sc_module_name& name, const L1dConfig& config, sim::ProgressMonitor& progress,
              base::StatGroup& stats);

 private:
  void serve(L1dRequest& request) { model_.serve(request); }
  void inspect(L1dRequest& request) const { model_.inspect(request); }

 public:
  sim::BlockTarget<L1dProtocol, L1DataCache, &L1DataCache::serve, &L1DataCache::inspect> l1d_tsock{
      "l1d_tsock", this};

 private:
  L1DataCacheModel model_;
};

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::L1dProtocol);
