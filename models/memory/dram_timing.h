// The timing rules of one DRAM channel: when a command is legal. Plain C++.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "memory/config.h"

namespace heddle::memory {

enum class DramKind : std::uint8_t { kActivate, kPrecharge, kRead, kWrite, kPrechargeAll, kRefresh };
/// As in data sheets.
inline constexpr const char* kDramKindNames[] = {"ACT", "PRE", "RD", "WR", "PREA", "REF"};

/// Rules, in cycles of the command clock from one command to the next; b is a burst's time on the data bus.
/// Every name is a key of DramConfig. A rule whose key is 0 does not apply; the key in parentheses is the
/// default for the one before it.
///
///   same bank    ACT->RD  tRCD               ACT->WR  tRCDWR (tRCD)
///                ACT->PRE tRAS               ACT->ACT tRC
///                PRE->ACT tRP                RD->PRE  tRTP
///                WR->PRE  tWL + b + tWR
///   same group   ACT->ACT tRRDL              RD->RD, RD->WR, WR->WR, WR->RD  tCCDL
///                RD->PRE  tRTPL              WR->RD  tWL + b + tCDLRL
///   any bank     ACT->ACT tRRD               the 5th ACT is tFAW after the 1st, the 33rd t32AW
///                RD->RD, WR->WR  max(tCCD, b)
///                RD->WR   tRTW (tCL + b + 2 - tWL: two cycles of bus turnaround)
///                WR->RD   tWL + b + tCDLR
///                PRE->PRE tPPD               one command per cycle
///   auto         a column command with auto-precharge closes its row as soon as a PRE would be legal, with no command; PREA is not before
///   refresh      every tREFI cycles (the first at a random time with perturb_seed), all banks: no other command is issued until it is done;
///                PREA when every open bank may precharge;
///                REF when every bank could activate (tRP after PREA, tRC); REF->ACT tRFC
///
/// Banks are in group (bank mod bank_groups). RD data is on the bus tCL after the command, WR data tWL after.
class DramTiming {
 public:
  explicit DramTiming(const DramConfig& config);

  [[nodiscard]] bool open(std::uint32_t bank) const { return banks_[bank].open; }
  /// Only of an open bank.
  [[nodiscard]] std::uint64_t row(std::uint32_t bank) const { return banks_[bank].row; }

  /// Earliest cycle at which the command is legal on that bank. Not for kPrechargeAll and kRefresh; ignores a
  /// refresh that is due.
  [[nodiscard]] base::Cycle earliest(DramKind kind, std::uint32_t bank) const {
    return std::max({bank_ready(kind, bank), shared_ready(kind, bank), bus_});
  }
  // The parts of earliest(): what only commands on the bank change, what others change too, and the command
  // bus.
  [[nodiscard]] base::Cycle bank_ready(DramKind kind, std::uint32_t bank) const {
    return banks_[bank].ready[static_cast<unsigned>(kind)];
  }
  [[nodiscard]] base::Cycle shared_ready(DramKind kind, std::uint32_t bank) const {
    const auto k = static_cast<unsigned>(kind);
    return std::max(groups_[banks_[bank].group][k], channel_[k]);
  }
  // The two parts of shared_ready().
  [[nodiscard]] base::Cycle group_ready(DramKind kind, std::uint32_t group) const {
    return groups_[group][static_cast<unsigned>(kind)];
  }
  [[nodiscard]] base::Cycle channel_ready(DramKind kind) const {
    return channel_[static_cast<unsigned>(kind)];
  }
  [[nodiscard]] std::uint32_t group_of(std::uint32_t bank) const { return banks_[bank].group; }
  [[nodiscard]] base::Cycle bus_ready() const { return bus_; }
  /// `row`: of an activate. The caller respects earliest() and the states of the banks.
  void issue(DramKind kind, std::uint32_t bank, std::uint64_t row, base::Cycle now);
  /// The column command that was issued last, on this bank, closes its row. tPPD is between commands and does not apply.
  void auto_precharge(std::uint32_t bank);
  /// First cycle after the burst of that column command has left the data bus.
  [[nodiscard]] base::Cycle data_end(DramKind kind, base::Cycle now) const {
    return now + (kind == DramKind::kRead ? config_.t_cl : config_.t_wl) + burst_;
  }
  [[nodiscard]] base::Cycle burst_cycles() const { return burst_; }

  // ---- refresh ----
  /// From this cycle on, only refresh_step() may be issued; kNever without refresh.
  [[nodiscard]] base::Cycle refresh_due() const { return refresh_due_; }
  struct Step {
    DramKind kind = DramKind::kRefresh;
    base::Cycle cycle = 0;
  };
  /// The first command that the due or next refresh needs, and its earliest cycle.
  [[nodiscard]] Step refresh_step() const;
  /// Issues it; returns how many rows it closed.
  std::uint32_t issue_refresh_step(const Step& step);
  struct Missed {
    std::uint64_t refreshes = 0;
    std::uint64_t closed_rows = 0;
  };
  /// Called after idle time: applies all refreshes before cycle `now`. Its run time does not depend on their
  /// number.
  Missed catch_up(base::Cycle now);

 private:
  using Ready = std::array<base::Cycle, 4>;  ///< by kind of command
  struct Bank {
    Ready ready{};
    std::uint32_t group = 0;
    bool open = false;
    base::Cycle closed_at = 0;  ///< by the last auto-precharge
    std::uint64_t row = 0;
  };
  static void at_least(Ready& ready, DramKind kind, base::Cycle cycle) {
    base::Cycle& r = ready[static_cast<unsigned>(kind)];
    r = std::max(r, cycle);
  }
  void close(Bank& bank, base::Cycle now);
  void activated(base::Cycle now);

  DramConfig config_;
  base::Cycle burst_;
  base::Cycle read_to_write_;
  std::vector<Bank> banks_;
  std::vector<Ready> groups_;
  Ready channel_{};
  base::Cycle bus_ = 0;  ///< command bus
  std::uint64_t activates_ = 0;
  std::array<base::Cycle, 32> activated_at_{};  ///< the last 32, by number mod 32
  base::Cycle refresh_due_;
};

}  // namespace heddle::memory
