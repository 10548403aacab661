// Warp history unit of DDOS: per warp the last setps of one lane, and whether they repeat ([DDOS/BOWS] §6.3).
//
// Hardware: per warp l path hashes of m bits and l pairs of value hashes of k bits, a state machine of four states, match
// pointer, remaining count and profiled lane. One compare per scheduler and clock, which is as many setps as can issue:
// it never refuses. Timing contract: read and hash, compare, write; the state shows from the second clock on.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "sim/block_socket.h"
#include "spin/config.h"
#include "spin/protocols.h"

namespace heddle::spin {

enum class SpinState : std::uint8_t { kSearch, kConfirm, kSpin };

/// The detector of one warp. Values only.
class WarpHistory {
 public:
  explicit WarpHistory(const DdosConfig& config);
  void clear();
  /// `path`, `values`: hashed. True: the state has changed.
  bool insert(std::uint32_t path, std::array<std::uint32_t, 2> values);

  [[nodiscard]] SpinState state() const { return state_; }
  /// Distance of the entry that the newest one is compared with; the thesis' MP.
  [[nodiscard]] std::uint32_t match_pointer() const { return front_ == 0 ? 0 : front_ - 1; }
  /// Matches that are still needed; kNoCount: none is counted.
  static constexpr std::uint32_t kNoCount = ~0u;
  [[nodiscard]] std::uint32_t remaining() const {
    return state_ == SpinState::kSearch ? kNoCount : remaining_;
  }
  struct Entry {
    std::uint32_t path = 0;
    std::array<std::uint32_t, 2> values{};
    bool operator==(const Entry&) const = default;
  };
  /// Newest first; as many as have been inserted, at most l.
  [[nodiscard]] std::vector<Entry> entries() const;

 private:
  [[nodiscard]] const Entry& at(std::uint32_t age) const {
    return ring_[(newest_ + ring_.size() - age) % ring_.size()];
  }
  std::uint32_t front_after_mismatch_;
  std::vector<Entry> ring_;
  std::size_t newest_ = 0;
  std::uint32_t inserted_ = 0;  ///< at most l
  std::uint32_t front_ = 0;
  std::uint32_t remaining_ = 0;
  SpinState state_ = SpinState::kSearch;
};

class WarpHistoryUnit : public sc_core::sc_module {
 public:
  WarpHistoryUnit(const sc_core::sc_module_name& name, const DdosConfig& config, Timing timing,
                  std::uint32_t warps, base::StatGroup& stats);

 private:
  void serve(HistoryRequest& request);

 public:
  sim::BlockTarget<HistoryProtocol, WarpHistoryUnit, &WarpHistoryUnit::serve> history_tsock{"history_tsock",
                                                                                            this};
  /// The same for those who know that warps start and end.
  sim::BlockTarget<HistoryProtocol, WarpHistoryUnit, &WarpHistoryUnit::serve> reset_tsock{"reset_tsock",
                                                                                          this};

  /// For tests and traces.
  [[nodiscard]] const WarpHistory& history(WarpId warp) const { return warps_[set_of(warp)].history; }

 private:
  struct Warp {
    explicit Warp(const DdosConfig& config) : history(config) {}
    WarpHistory history;
    unsigned lane = HistoryRequest::kNoLane;
    // What the state was before its last changes, for those who may not see them yet.
    bool spinning = false;
    struct Change {
      Cycle cycle = 0;
      bool before = false;
    };
    std::array<Change, 2> changes{};  ///< newest first
  };
  [[nodiscard]] std::size_t set_of(WarpId warp) const { return shared() ? 0 : warp.value(); }
  [[nodiscard]] bool shared() const { return config_.time_share_cycles != 0; }
  /// Time sharing: whether the warp has the set, now that it executes a setp.
  bool owns(WarpId warp, Cycle cycle);
  unsigned lane_of(Warp& warp, LaneMask exec);
  void insert(Warp& warp, const HistoryRequest& request);
  static void clear(Warp& warp, Cycle cycle);
  [[nodiscard]] bool looks_spinning(const Warp& warp, Cycle cycle) const;

  DdosConfig config_;
  Cycle latency_;
  std::vector<Warp> warps_;  ///< one, if they share it
  WarpId owner_{};
  bool owned_ = false;
  Cycle owned_since_ = 0;
  std::uint64_t inserts_ = 0, not_recorded_ = 0, lane_changes_ = 0, detections_ = 0;
};

}  // namespace heddle::spin
