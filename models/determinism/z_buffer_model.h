// The Z-buffer unit of a memory partition without SystemC ([GPUDet] §4.4.3): request buffer, Z-cache, comparator
// buffer, depth comparator, and the FIFO to L2.
//
//             ┌───────────────┐ schedule ┌─────────┐ hit   ┌───────────────────┐ compare
//  accept ──▶ │ request buffer│ ───────▶ │ Z-cache │ ────▶ │ comparator buffer │ ───────▶ new depths to the Z-cache,
//             └───────────────┘          └─────────┘       └───────────────────┘          colours to the FIFO
//                    │ acknowledge        miss: victim, read to the FIFO     ▲ fill (from L2)
//                    ▼                                                       │
//
// One step of each kind per clock; a step sees the state as the clock before left it. Release of a line and wake-up of
// who waits for it are one step. What the L2 has to do leaves through one FIFO, in order: a depth line is written back
// before it is read again, and colours reach L2 in the order of their comparisons.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/ring.h"
#include "determinism/chunk.h"
#include "determinism/config.h"
#include "determinism/depth.h"
#include "determinism/z_cache.h"

namespace heddle::determinism {

/// What a core's engine asks for ([GPUDet] Fig 4.7).
struct ColorUpdate {
  std::uint64_t chunk = 0;  ///< byte address, a multiple of kChunkBytes
  ChunkData color{};
  ByteMask mask;
  Depth depth = 0;
};

/// Of a machine whose rules are watched (preconditions.h).
struct ZBufferWatch {
  /// A rule does not hold. Empty: nobody looks.
  std::function<void(const char* rule, const std::string& what)> broken{};
  std::uint32_t wavefront_bits = 0;  ///< m of depths: what is above them numbers quanta
};

class ZBufferModel {
 public:
  using Cycle = base::Cycle;
  enum class RequestState : std::uint8_t { kInvalid, kReady, kBlocked, kInService };
  /// Why the scheduler did nothing although a request was ready.
  enum class Stall : std::uint8_t {
    kNone,
    kSetFull,           ///< all ways of its set are locked
    kComparatorBuffer,  ///< no free entry
    kL2Queue,           ///< no free entry
    kL2Port,            ///< the comparator may write to the FIFO in this clock
  };
  static constexpr unsigned kStalls = 5;

  /// To L2, in order.
  struct L2Request {
    enum class Op : std::uint8_t {
      kDepthRead,   ///< ZRD: answered by fill(entry)
      kDepthWrite,  ///< ZWB: `depths`
      kColorWrite,  ///< CWR: `color`, `mask`; accepted(entry) when L2 has taken it
    };
    Op op = Op::kDepthRead;
    std::uint64_t chunk = 0;  ///< whose colours or depths
    std::uint32_t entry = 0;  ///< of the comparator buffer (read) or request buffer (colours)
    ByteMask mask;
    ChunkData color{};
    DepthLine depths{};
    Cycle pushed = 0;
    std::uint64_t number = 0;  ///< in the order in which they entered the FIFO
    WordMask passed = 0;       ///< colours: the words that have passed
  };

  struct Counters {
    std::uint64_t requests = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t blocked = 0;  ///< probes that found the line locked
    std::uint64_t write_backs = 0;
    std::uint64_t color_writes = 0;
    std::uint64_t color_words = 0;
    std::uint64_t losers = 0;  ///< requests without a passing word
    std::uint64_t acks = 0;
    std::uint64_t resets = 0;
    std::uint64_t occupancy_cycles = 0;  ///< entries of the request buffer in use, summed over clocks
    std::uint64_t full_cycles = 0;       ///< clocks in which there was none free
    std::array<std::uint64_t, kStalls> stalls{};  ///< clocks
    std::uint64_t compare_stalls = 0;             ///< clocks in which the comparator waited for the FIFO
  };

  explicit ZBufferModel(const ZBufferConfig& config);
  void watch(ZBufferWatch watch) { watch_ = std::move(watch); }

  // ---- the steps of a clock, in this order; each at most once per clock ----

  /// A free entry in the request buffer.
  [[nodiscard]] bool can_accept() const { return free_ != 0; }
  /// (1) Returns the entry. Throws std::logic_error for a mask that divides a word ([GPUDet] §4.6).
  std::uint32_t accept(const ColorUpdate& update, Cycle now);
  /// Depths that entry `entry` of the comparator buffer waits for.
  void fill(std::uint32_t entry, const DepthLine& depths, Cycle now);
  /// schedule() and compare(), and the accounting of time. Returns whether anything happened.
  bool clock(Cycle now);
  /// (2), (3), (7)
  bool schedule(Cycle now);
  /// (4), (5), (6)
  bool compare(Cycle now);

  /// What L2 is to get next; null: nothing that was there before this clock.
  [[nodiscard]] const L2Request* l2_request(Cycle now) const;
  /// It is on its way.
  void l2_sent();
  /// L2 has accepted the colours of request `entry`.
  void accepted(std::uint32_t entry, Cycle now);
  /// (8) A request that is done and was so before this clock; its entry is free from the next clock on.
  std::optional<std::uint32_t> acknowledge(Cycle now);

  // ---- reset of depths ----

  /// Precondition: no request is held. All depths become kNoDepth: the Z-cache is emptied, and every depth line that was
  /// written back since the last reset is written, behind what the FIFO still holds. (Hardware walks the Z-buffers that
  /// the driver has allocated.)
  void reset_depths();
  /// Nothing is to do. (The L2 may not yet have accepted what left last.)
  [[nodiscard]] bool idle() const;
  [[nodiscard]] bool resetting() const { return !to_reset_.empty(); }

  // ---- to sleep ----

  /// The first clock after `now` in which something may happen without a call from outside; kNever: none. `happened`:
  /// what clock(now) returned, or that another step was taken in it.
  [[nodiscard]] Cycle next(Cycle now, bool happened) const;
  /// Clocks up to and including `now` have passed without calls: time is charged as clock() would have.
  void settle(Cycle now);

  // ---- for tests and messages ----

  [[nodiscard]] RequestState state(std::uint32_t entry) const { return requests_[entry].state; }
  [[nodiscard]] std::uint32_t entries_in_use() const;
  [[nodiscard]] std::uint32_t comparators_in_use() const;
  [[nodiscard]] const ZCache& cache() const { return cache_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::size_t l2_queued() const { return to_l2_.size(); }

 private:
  struct Request {
    ColorUpdate update;
    RequestState state = RequestState::kInvalid;
    std::uint64_t age = 0;
    Cycle since = 0;  ///< not scheduled in this clock
    bool compared = false;
    bool visible = false;  ///< whatever reaches L2 finds its colours, or no word has passed
  };
  struct Comparison {
    std::uint32_t request = 0;
    std::uint32_t line = 0;
    DepthLine depths{};
  };
  struct Due {
    std::uint32_t entry = 0;
    Cycle from = 0;  ///< may be compared from this clock on
  };

  [[nodiscard]] std::uint32_t pick(Cycle now);
  void hit(std::uint32_t entry, std::uint32_t line, Cycle now);
  Stall miss(std::uint32_t entry, Cycle now);
  void block(std::uint32_t entry);
  void account(Cycle clocks);
  std::uint32_t take_comparator(std::uint32_t entry, std::uint32_t line);
  /// The comparison to be made in this clock; null: none.
  [[nodiscard]] const Due* comparable(Cycle now) const;
  void finish(std::uint32_t entry, Cycle now);
  void wake(std::uint64_t chunk);
  // z_buffer_rules.cpp: what must hold, if that is watched
  /// [GPUDet:Z3]: a release will wake the request.
  void check_block(std::uint32_t entry) const;
  /// [GPUDet] §4.4.3: no other request to the chunk is in service and not compared.
  void check_service(std::uint32_t entry) const;
  /// [GPUDet:Z1], [GPUDet:Z2], [GPUDet:D5], [GPUDet:D6] and [GPUDet] §4.4.2, of a request that is compared with
  /// `stored`; `passed` are the words that have passed.
  void check_compare(std::uint32_t entry, const DepthLine& stored, WordMask passed) const;
  /// [GPUDet:Z4]: L2 gets requests in order; of a colour write: only words that have passed.
  void check_sent();
  /// [GPUDet:S2].
  void check_acknowledge(std::uint32_t entry) const;

  L2Request& push(L2Request::Op op, std::uint64_t chunk, Cycle now);
  void push_depths(std::uint64_t chunk, const DepthLine& depths, Cycle now);

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  ZBufferConfig config_;
  ZBufferWatch watch_;
  std::uint64_t pushed_ = 0, sent_ = 0;  ///< requests into the FIFO, and out of it
  ZCache cache_;
  std::vector<Request> requests_;
  std::uint64_t free_;  ///< entries of the request buffer, a bit each; likewise the next two
  std::uint64_t ready_ = 0;
  std::uint64_t blocked_ = 0;
  std::uint64_t age_ = 0;
  std::vector<Comparison> comparisons_;
  std::uint64_t comparators_free_;
  base::Ring<Due> hits_;    ///< on their way from the Z-cache
  base::Ring<Due> filled_;  ///< from L2, in the order of arrival
  base::Ring<L2Request> to_l2_;
  base::Ring<Due> done_;  ///< requests to be acknowledged

  std::set<std::uint64_t> written_;      ///< chunks whose depths are in memory
  std::vector<std::uint64_t> to_reset_;  ///< descending
  Stall stall_ = Stall::kNone;           ///< of the last clock
  bool compare_stall_ = false;
  Cycle accounted_ = base::kNever;  ///< the last clock that is; kNever: none
  Counters counters_;
};

}  // namespace heddle::determinism
