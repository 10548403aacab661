// One bank of an L2 slice: tags, data, MSHRs, and the service of one request per cycle. Plain C++.
#pragma once

#include <cstdint>
#include <vector>

#include "memory/cache_array.h"
#include "memory/far_half.h"
#include "memory/l2_shared.h"
#include "memory/written_bytes.h"

namespace heddle::memory {

/// Serves one request or MSHR target per cycle; L2Slice describes the policy.
class L2Bank {
 public:
  L2Bank(const L2Config& config, const L2Geometry& geometry, L2Shared& shared);

  [[nodiscard]] bool can_accept() const { return !requests_.full(); }
  void accept(const L2Request& request);

  /// Cycle `now`. Returns whether anything changed: if not, nothing will change before timer() or a call from
  /// outside.
  bool tick(base::Cycle now);
  [[nodiscard]] bool has_work() const { return !requests_.empty() || !ready_.empty(); }
  /// While stalled by an atomic or the data array: the cycle at which that may end; else kNever.
  [[nodiscard]] base::Cycle timer() const;
  /// No request waits for service or for a fetch.
  [[nodiscard]] bool idle() const { return requests_.empty() && free_mshrs_.size() == mshrs_.size(); }

  /// Storage of the frame's line, for fetched sectors to be written to; null if only their missing bytes may be, by fill().
  [[nodiscard]] unsigned char* fetch_target(std::uint32_t frame) {
    return written_.on() ? nullptr : array_.data(frame);
  }
  /// Sectors [first, first + count) of the frame have been fetched, to fetch_target() or to `from`.
  void fill(std::uint32_t frame, unsigned first, unsigned count, const unsigned char* from);

  /// Cores of the requests that wait for sectors of the line, in order of arrival.
  [[nodiscard]] std::vector<base::CoreId> waiting_for(std::uint64_t line) const;

  /// Debug access: sectors of the line whose newest value is here, and bytes of the line. debug_copy() only
  /// if some sector is here; debug_write() changes the copy, if there is one.
  [[nodiscard]] bool debug_absent(std::uint64_t line) const;  ///< not even a place is kept for the line
  [[nodiscard]] SectorMask debug_valid(std::uint64_t line) const;
  void debug_copy(std::uint64_t line, std::uint32_t offset, unsigned char* to, unsigned bytes);
  void debug_write(std::uint64_t line, std::uint32_t offset, const unsigned char* from, unsigned bytes);
  /// Copies those bytes that are here though their sector is not.
  void debug_overlay(std::uint64_t line, std::uint32_t offset, unsigned char* to, unsigned bytes);
  /// Calls fn(line, sectors) for lines with dirty sectors that no request waits for.
  template <class Fn>
  void debug_each_dirty(Fn fn) const {
    array_.for_each_unowned([&](std::uint32_t frame) {
      if (array_.dirty(frame) != 0) fn(array_.line(frame), array_.dirty(frame));
    });
  }
  /// Forgets all lines that no request waits for, dirty or not.
  void debug_forget();

 private:
  struct Mshr {
    std::uint32_t frame = 0;
    SectorMask pending = 0;  ///< requested from the DRAM and not yet received
    bool ready = false;      ///< in ready_
    base::Ring<L2Request> targets;
  };

  /// The request waits for the MSHR's sectors; there are fewer than mshr_targets_.
  void wait(Mshr& mshr, const L2Request& request);
  bool serve_target(base::Cycle now);
  bool serve_request(base::Cycle now);
  bool serve_absent(const L2Request& request, base::Cycle now);
  bool serve_present(const L2Request& request, std::uint32_t frame, base::Cycle now);
  bool fetch(const L2Request& request, std::uint32_t frame, SectorMask missing, base::Cycle now);
  bool join(const L2Request& request, std::uint32_t frame, SectorMask missing, base::Cycle now);
  /// The frame will hold something else: the line that is there is gone, its copy with it, or the copy that is there.
  void vacate(std::uint32_t frame);
  /// A request to the frame's line has been answered: its copy in the other half takes a way if there is one.
  void place_copy(const L2Request& request, std::uint32_t frame);
  void queue_fetch(std::uint32_t frame, SectorMask sectors);
  void queue_write_back(std::uint32_t frame);
  [[nodiscard]] SectorMask missing(const L2Request& request, std::uint32_t frame) const {
    return request.needed & ~array_.valid(frame);
  }
  /// Sectors that waiting targets touch, and those of them that they overwrite.
  [[nodiscard]] static SectorMask queued(const Mshr& mshr);
  [[nodiscard]] static SectorMask overwritten(const Mshr& mshr);
  bool perform(const L2Request& request, std::uint32_t frame, base::Cycle now);
  void read(const L2Request& request, const unsigned char* from) const;
  /// The data array is taken for as long as the request's sectors take, `per_cycle` at a time.
  void occupy(const L2Request& request, std::uint32_t per_cycle, base::Cycle now);
  /// A request that crosses has passed the slice of its own half, for an atomic's lanes or a cycle. That slice is the home's mirror
  /// image: what passes this one is made up for by taking the turn here. Not behind a request of the same line: what many access
  /// at once has no image there.
  void take_far_turn(const L2Request& request, base::Cycle now);
  /// The write has been performed: sectors that it has completed are valid.
  void add_written(const L2Request& request, std::uint32_t frame);
  /// `frame`: of the line; kNone: the request touches none. Whether it has crossed from the other half to its line.
  bool respond(const L2Request& request, std::uint32_t frame, base::Cycle done);
  bool stall(L2Stall cause, base::Cycle now);
  /// What the first request waits for is still not there: it need not be looked at.
  [[nodiscard]] bool still_stalled() const {
    return stalled_ && ((stall_cause_ == L2Stall::kMshrs && free_mshrs_.empty()) ||
                        (stall_cause_ == L2Stall::kDramQueue && shared_.transfers.full()));
  }
  void end_stall(base::Cycle now);

  L2Geometry geometry_;
  std::uint32_t latency_cycles_;
  std::uint32_t read_sectors_, write_sectors_;  ///< a cycle; 0: no limit
  std::uint32_t mshr_targets_;
  bool counts_sectors_;
  bool far_turns_;
  std::uint64_t last_line_ = ~std::uint64_t{0};  ///< accessed; only with far_turns_
  L2Shared& shared_;
  CacheArray array_;
  WrittenBytes written_;
  FarHalf far_;
  base::Ring<L2Request> requests_;
  std::vector<Mshr> mshrs_;
  std::vector<std::uint32_t> free_mshrs_;
  base::Ring<std::uint32_t> ready_;           ///< MSHRs whose first target has all its sectors
  base::Cycle free_at_ = 0;                   ///< end of an atomic, or of an access to many sectors
  L2Stall busy_with_ = L2Stall::kAtomicUnit;  ///< until then
  bool stalled_ = false;
  bool waits_for_unit_ = false;  ///< stalled by the unit rather than by the bank's own atomic
  L2Stall stall_cause_ = L2Stall::kMshrs;
  base::Cycle stalled_since_ = 0;
};

}  // namespace heddle::memory
