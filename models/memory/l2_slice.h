// One slice of the L2 cache: the coherence point of its partition's addresses. Plain C++ (no SystemC
// process).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "memory/address_map.h"
#include "memory/config.h"
#include "memory/l2_bank.h"
#include "memory/l2_request.h"
#include "memory/l2_shared.h"
#include "sim/memory_payload.h"
#include "sim/progress.h"

namespace heddle::memory {

/// Adjacent sectors of one line, moved by one DRAM transaction. With L2Config::dram_access_bytes their number
/// is a power of two and their address is a multiple of their size.
struct SectorTransfer {
  std::uint64_t address = 0;  ///< channel-local
  std::uint32_t bytes = 0;    ///< whole sectors of one line
  bool write = false;         ///< write-back; otherwise fetch
  unsigned char* data =
      nullptr;  ///< write-back: the bytes, until pop_transfer(); fetch: where they go, until fill(), null: anywhere
  const unsigned char* enables =
      nullptr;              ///< write-back: byte enables, until pop_transfer(); null: all bytes
  std::uint32_t frame = 0;  ///< fetch: to be handed back to fill()
};

/// Set-associative, LRU, write-back, write-allocate, in banks (bank = line number mod banks). Each bank has a
/// queue and serves one request per cycle, in order of arrival:
///
///  * hit: performed at once; its response is ready latency_cycles later;
///  * miss: an MSHR and a frame are reserved, the missing sectors that the request touches are fetched, and
///    the request becomes the MSHR's first target. A write needs no old value of sectors that it overwrites
///    completely; if it touches no others, it takes a frame without a fetch. Sectors written in part are
///    fetched first, or, with WriteMiss::kByteMask, when bytes of them are read that are not there; evicted before that, they
///    are written back with byte enables, which a base-protocol memory may refuse;
///  * a request to a line with an MSHR that touches a missing sector, or one that another target waits for,
///    becomes a further target; its own missing sectors are fetched too. Targets are served in order, one per
///    cycle, each when its sectors have arrived, before new requests of the bank. Meanwhile other sectors of
///    the line can be hit.
///
/// So requests to one address are performed in order of arrival. A request that cannot proceed blocks those
/// behind it in its bank. Evicted lines are written back, dirty sectors only. A transfer to the DRAM is not
/// issued while a write-back of the same line is in flight, so the DRAM need not preserve any order.
///
/// Banks share the atomic unit, the queue to the DRAM and the responses. If several banks compete for one of
/// them in a cycle, the bank whose turn it is (cycle mod banks) goes first.
///
/// Values: a request reads and writes the line when it is served. Responses leave one per cycle, in the order
/// in which they become ready.
class L2Slice {
 public:
  using Payload = tlm::tlm_generic_payload;

  L2Slice(const L2Config& config, const AddressMap& map, sim::ProgressMonitor& progress);
  L2Slice(const L2Slice&) = delete;  // the banks hold references to shared members
  L2Slice& operator=(const L2Slice&) = delete;

  // ---- from the crossbar. Payloads carry a MemoryExtension, lie within one line, and belong to the caller ----
  [[nodiscard]] L2Request decode(Payload& payload, base::Cycle now) const {
    return geometry_.decode(payload, map_, now);
  }
  /// Whether the request's bank has a free entry for it.
  [[nodiscard]] bool can_accept(const L2Request& request) const { return banks_[request.bank].can_accept(); }
  void accept(const L2Request& request) {
    banks_[request.bank].accept(request);
    working_ |= std::uint64_t{1} << request.bank;
  }

  // ---- time ----
  /// Cycle `now`. Returns whether anything changed: if not, nothing will change before timer() or a call from
  /// outside.
  bool tick(base::Cycle now);
  /// True if tick() has work or waits for something other than a fetch or a response's time.
  [[nodiscard]] bool has_work() const { return working_ != 0; }
  /// Cycle at which the oldest response becomes (or became) ready; kNever without one.
  [[nodiscard]] base::Cycle response_timer() const {
    return shared_.responses.empty() ? base::kNever : shared_.responses.front().ready;
  }
  /// Cycle at which an atomic that blocks a bank ends; kNever if none does.
  [[nodiscard]] base::Cycle atomic_timer() const;
  [[nodiscard]] bool idle() const;

  // ---- to the crossbar ----
  /// The next response, if it is ready.
  [[nodiscard]] Payload* response(base::Cycle now) const {
    return response_timer() <= now ? shared_.responses.front().payload : nullptr;
  }
  void pop_response() { shared_.responses.pop(); }

  // ---- to and from the DRAM ----
  /// Whether there is a transfer that may be issued.
  [[nodiscard]] bool has_transfer() const {
    // None of the first transfer's own write-backs blocks the next.
    return !shared_.transfers.empty() && (sent_ != 0 || writing_.empty() || !writes_first());
  }
  /// That transfer; valid until pop_transfer().
  [[nodiscard]] SectorTransfer transfer();
  void pop_transfer(const SectorTransfer& piece);
  /// The data of a fetch has been written to its destination, or is where `data` points if that was null.
  void fill(const SectorTransfer& fetch);
  /// A write-back has been performed.
  void write_done(std::uint64_t address);
  /// Number of lines waiting to be transferred.
  [[nodiscard]] std::uint32_t queued_transfers() const {
    return static_cast<std::uint32_t>(shared_.transfers.size());
  }
  /// Cores of the requests that wait for the line of this address, in order of arrival.
  [[nodiscard]] std::vector<base::CoreId> waiting_for(std::uint64_t address) const;

  /// Whether the slice neither holds nor transfers anything of these bytes: the DRAM has their newest value.
  [[nodiscard]] bool debug_absent(std::uint64_t local, std::uint64_t bytes) const;

  // ---- debug access to channel-local addresses within one sector ----
  [[nodiscard]] std::uint32_t sector_bytes() const { return geometry_.sector_bytes(); }
  /// Copies the bytes if the slice holds their newest value; false: the DRAM has it.
  bool debug_read(std::uint64_t local, unsigned char* to, unsigned bytes);
  /// Then: copies over the DRAM's bytes those that are here (WriteMiss::kByteMask).
  void debug_overlay(std::uint64_t local, unsigned char* to, unsigned bytes);
  /// Updates every copy in the slice; the caller updates the DRAM as well.
  void debug_write(std::uint64_t local, const unsigned char* from, unsigned bytes);
  /// Addresses of the dirty sectors of lines that no request waits for.
  [[nodiscard]] std::vector<std::uint64_t> debug_dirty() const;
  /// Forgets all lines that no request waits for: what is dirty has been written elsewhere.
  void debug_forget() {
    for (L2Bank& bank : banks_) bank.debug_forget();
  }

  [[nodiscard]] const L2Counters& counters() const { return shared_.counters; }

 private:
  /// A write-back of the first transfer's line is in flight.
  [[nodiscard]] bool writes_first() const;
  /// Over `to`, what waiting write-backs with byte enables, from the given one on, and the line have.
  void overlay(std::size_t transfer, std::uint64_t local, unsigned char* to, unsigned bytes);

  L2Geometry geometry_;
  AddressMap map_;
  L2Shared shared_;
  unsigned access_sectors_;  ///< most sectors of an aligned transfer; 0: no limit
  std::vector<L2Bank> banks_;
  std::uint64_t working_ = 0;           ///< bit per bank with work
  SectorMask sent_ = 0;                 ///< sectors of the first transfer that have already been issued
  std::vector<std::uint64_t> writing_;  ///< lines whose write-back is in flight, once per transaction
};

}  // namespace heddle::memory
