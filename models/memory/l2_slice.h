// One slice of the L2 cache: the coherence point of its partition's addresses. Plain C++ (no SystemC
// process).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/address_map.h"
#include "memory/atomic_unit.h"
#include "memory/cache_array.h"
#include "memory/config.h"
#include "memory/ring.h"
#include "sim/memory_payload.h"
#include "sim/progress.h"

namespace heddle::memory {

/// A line on its way to or from the DRAM. Addresses are channel-local.
struct LineTransfer {
  std::uint64_t line = 0;
  bool write = false;                                  ///< write-back; otherwise fetch
  std::array<unsigned char, sim::kMaxLineBytes> data;  ///< write-back only; line_bytes of it
};

/// Why the slice could not serve the request or target it had to.
enum class L2Stall : std::uint8_t {
  kMshrs,       ///< a miss and no MSHR free
  kTargets,     ///< the line's MSHR has no target entry free
  kSet,         ///< every way of the set waits for a fetch
  kDramQueue,   ///< no place for the fetch or write-back
  kResponses,   ///< response pipeline and queue full
  kAtomicUnit,  ///< atomic unit still busy with the previous transaction
};
inline constexpr unsigned kL2Stalls = 6;
[[nodiscard]] const std::vector<std::string>& l2_stall_names();

struct L2Counters {
  // by MemoryOp: read, write, atomic
  std::array<std::uint64_t, 3> hits{};
  std::array<std::uint64_t, 3> misses{};
  std::array<std::uint64_t, 3> merged{};   ///< misses on a line that was being fetched already
  std::uint64_t writes_without_fetch = 0;  ///< write misses that covered the whole line
  std::uint64_t fetches = 0;
  std::uint64_t write_backs = 0;
  std::array<std::uint64_t, kL2Stalls> stall_cycles{};
  std::uint64_t responses = 0;
  std::uint64_t service_cycles = 0;  ///< acceptance to response ready, summed over responses
  std::uint64_t atomic_lanes = 0;
  std::uint64_t atomic_busy_cycles = 0;
};

/// Set-associative, LRU, write-back, write-allocate. One request is served per cycle, in order of arrival:
///
///  * hit: done at once; its response is ready latency_cycles later;
///  * miss: an MSHR and a frame are reserved, the line is fetched, the request becomes the MSHR's first
///  target. A
///    write that covers a whole line takes a frame without a fetch; any other write miss fetches (the DRAM
///    link does without byte enables, which a base-protocol memory may refuse);
///  * a request to a line that is being fetched becomes a further target. When the line is there, its targets
///  are
///    served in order, one per cycle, before new requests.
///
/// So requests to one address are performed in the order of arrival. A request that cannot proceed holds up
/// those behind it. A transfer to the DRAM is not handed out while a write-back of the same line is under
/// way, hence no ordering is asked of the DRAM.
///
/// Values: a request reads and writes the line when it is served. Responses leave in the order of service.
class L2Slice {
 public:
  using Payload = tlm::tlm_generic_payload;
  static constexpr sim::Cycle kNever = ~sim::Cycle{0};

  L2Slice(const L2Config& config, const AddressMap& map, sim::ProgressMonitor& progress);

  // ---- from the crossbar. Payloads carry a MemoryExtension, lie within one line, and are owned by the
  // caller ----
  [[nodiscard]] bool can_accept() const { return !requests_.full(); }
  void accept(Payload& payload, sim::Cycle now);

  // ---- time ----
  /// Cycle `now`. Returns whether anything changed: if not, nothing will before atomic_timer() or a call from
  /// outside.
  bool tick(sim::Cycle now);
  /// True if tick() has something to do or to wait for (other than a fetch or a response's time).
  [[nodiscard]] bool has_work() const { return !requests_.empty() || !ready_.empty(); }
  /// Cycle at which the oldest response becomes (or became) ready; kNever without one.
  [[nodiscard]] sim::Cycle response_timer() const {
    return responses_.empty() ? kNever : responses_.front().ready;
  }
  /// Cycle at which the atomic unit lets waiting work go on; kNever if none waits for it.
  [[nodiscard]] sim::Cycle atomic_timer() const;
  [[nodiscard]] bool idle() const;

  // ---- to the crossbar ----
  /// The next response, if it is ready.
  [[nodiscard]] Payload* response(sim::Cycle now) const;
  void pop_response() { responses_.pop_front(); }

  // ---- to and from the DRAM ----
  /// The next transfer that may be handed out, or null. Valid until pop_transfer().
  [[nodiscard]] const LineTransfer* transfer() const;
  void pop_transfer();
  /// A fetched line has arrived.
  void fill(std::uint64_t line, const unsigned char* data);
  /// A write-back has been performed.
  void write_done(std::uint64_t line);

  // ---- debug access to channel-local addresses within one line ----
  /// Copies the bytes if the slice holds their newest value; false: the DRAM has it.
  bool debug_read(std::uint64_t local, unsigned char* to, unsigned bytes);
  /// Updates every copy in the slice; the caller updates the DRAM as well.
  void debug_write(std::uint64_t local, const unsigned char* from, unsigned bytes);

  [[nodiscard]] const L2Counters& counters() const { return counters_; }

 private:
  struct Target {
    Payload* payload = nullptr;
    sim::Cycle accepted = 0;
  };
  struct Response {
    Payload* payload = nullptr;
    sim::Cycle ready = 0;
  };
  struct Mshr {
    std::uint32_t frame = 0;
    bool filled = false;
    Ring<Target> targets;
  };

  [[nodiscard]] std::uint64_t line_of(std::uint64_t local) const { return local & ~line_mask_; }
  void serve_target(sim::Cycle now);
  bool serve_request(sim::Cycle now);
  bool serve_miss(const Target& request, std::uint64_t line, sim::Cycle now);
  void perform(const Target& target, std::uint32_t frame, sim::Cycle now);
  void respond(const Target& target, sim::Cycle done);
  bool write(Payload& payload, unsigned char* to) const;
  [[nodiscard]] bool covers_line(const Payload& payload) const;
  [[nodiscard]] bool well_formed(const Payload& payload) const;
  bool stall(L2Stall cause, sim::Cycle now);
  void end_stall(sim::Cycle now);

  L2Config config_;
  AddressMap map_;
  sim::ProgressMonitor& progress_;
  std::uint64_t line_mask_;
  CacheArray array_;
  AtomicUnit atomic_unit_;
  Ring<Target> requests_;
  std::vector<Mshr> mshrs_;
  std::vector<std::uint32_t> free_mshrs_;
  Ring<std::uint32_t> ready_;  ///< MSHRs whose line is there and whose targets are not all served
  Ring<LineTransfer> transfers_;
  std::vector<std::uint64_t> writing_;  ///< lines whose write-back is under way
  Ring<Response> responses_;
  sim::Cycle pipe_free_ = 0;
  bool stalled_ = false;
  L2Stall stall_cause_ = L2Stall::kMshrs;
  sim::Cycle stalled_since_ = 0;
  L2Counters counters_;
};

}  // namespace heddle::memory
