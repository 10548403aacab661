// I-buffers and fetch of one sub-core ([MGC]). Each cycle it chooses one of its issue groups that has a free slot in its I-buffer
// and fetches up to `width` sequential instructions of one line for it; they are decoded and in the buffer `latency` cycles
// later. What is on its way has its slots already. A group whose line is not in L0 waits until it is; the others go on.
//
// Behind a control instruction nothing is fetched, as in the core's unit (fetch.h), or what follows (core.fetch.behind_control):
// that is there at once if the group goes on with it. If the group goes on elsewhere, it is fetched for `redirect` cycles later.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/index_set.h"
#include "base/ring.h"
#include "core/config.h"
#include "core/fetch/line_supply.h"
#include "core/protocols/fetch_protocol.h"

namespace heddle::core {

struct FetchCounters {
  std::uint64_t fetches = 0;       ///< cycles in which a fetch unit was used
  std::uint64_t instructions = 0;  ///< put into I-buffers
};

/// Where the code of a launch lies, for all fetch units of a core.
struct FetchedCode {
  std::uint64_t base = 0;      ///< device address of the first instruction
  unsigned instruction_shift;  ///< instructions are 2^shift bytes
  std::uint64_t line_bytes;
  /// By PC: instructions from it to the first one behind which nothing is fetched.
  std::vector<std::uint32_t> run_length{};
  std::vector<Pc> branch_to{};  ///< by PC: the target of a direct branch there, else its own PC

  [[nodiscard]] std::uint64_t address(Pc pc) const {
    return base + (std::uint64_t{pc.value()} << instruction_shift);
  }
  [[nodiscard]] std::uint64_t line(Pc pc) const { return address(pc) & ~(line_bytes - 1); }
  [[nodiscard]] std::uint64_t end() const {
    return address(Pc{static_cast<std::uint32_t>(run_length.size())});
  }
  /// A launch of this code.
  void set(const std::vector<isa::Instruction>& code, std::uint64_t at, FetchBehindControl behind_control);
};

class SubCoreFetchModel {
 public:
  /// `groups` of the core, of which only the sub-core's are named to it.
  SubCoreFetchModel(const FetchConfig& config, const FetchedCode& code, std::uint32_t groups,
                    LineSupplyModel supply, FetchCounters& counters);

  [[nodiscard]] LineSupplyModel& lines() { return supply_; }
  /// A launch begins: nothing is buffered or on its way.
  void begin_launch(bool keeps_lines);
  /// The group is there: it is the youngest, and nothing has been fetched for it.
  void appears(GroupId group);
  /// In cycle `now`.
  void redirect(GroupId group, Pc pc, Cycle now);
  void stop(GroupId group);
  /// Removes the head; whether a next instruction is buffered.
  bool pop(GroupId group);
  /// L1I has answered.
  void line_arrives(std::uint64_t line);
  /// A cycle; adds to the report.
  void tick(Cycle now, FetchReport& report);
  /// First cycle in which it must run again; lines that arrive make it run, too.
  [[nodiscard]] Cycle next_due(Cycle now) const {
    if (!wanting_.empty() || !buffered_.empty()) return now + 1;
    Cycle due = in_flight_.empty() ? kNever : in_flight_.front().ready;
    for (const auto& list : redirected_)
      if (!list.empty()) due = std::min(due, list.front().at);
    return due;
  }

 private:
  struct Buffer {
    Pc head{};                  ///< of the first decoded instruction
    Pc next{};                  ///< to be fetched
    std::uint32_t count = 0;    ///< decoded instructions
    std::uint32_t flying = 0;   ///< fetched ones
    std::uint32_t epoch = 0;    ///< fetches of an older epoch are void
    bool sealed = false;        ///< nothing is fetched behind the last one buffered or on its way
    bool stopped = false;       ///< the group is blocked or gone
    std::uint64_t missing = 0;  ///< line it waits for, if it is in missing_
  };
  struct InFlight {
    GroupId group{};
    std::uint32_t epoch = 0;
    std::uint32_t count = 0;
    Cycle ready = 0;
  };
  /// To be fetched for from a cycle on.
  struct Redirected {
    GroupId group{};
    std::uint32_t epoch = 0;
    Cycle at = 0;
  };
  [[nodiscard]] std::uint32_t free_slots(const Buffer& buffer) const {
    return config_.ibuffer_slots - buffer.count - buffer.flying;
  }
  /// The group is fetched for, if its code goes on and it has a slot.
  void want(std::uint32_t group) {
    const Buffer& buffer = buffers_[group];
    if (!buffer.sealed && !buffer.stopped && free_slots(buffer) != 0 && !missing_.contains(group))
      wanting_.insert(group);
  }
  /// Place in redirected_.
  [[nodiscard]] unsigned redirection(Pc from, Pc to) const;
  void arrive(Cycle now, FetchReport& report);
  [[nodiscard]] std::uint32_t choose() const;
  void fetch(Cycle now, FetchReport& report, std::uint32_t group);

  FetchConfig config_;
  const FetchedCode& code_;
  LineSupplyModel supply_;
  FetchCounters* counters_;
  std::vector<Buffer> buffers_;  ///< by group
  std::uint32_t used_ = 0;       ///< the groups of the launch are below: so many buffers may have something
  std::vector<std::uint64_t> age_;  ///< by group: the youngest has the highest
  std::uint64_t ages_ = 0;
  base::IndexSet wanting_;          ///< groups with a free slot, to be fetched for
  base::IndexSet missing_;          ///< groups that wait for a line
  std::uint32_t served_ = 0;        ///< group that was fetched for last
  std::uint32_t issued_ = 0;        ///< group that issued last
  base::Ring<InFlight> in_flight_;  ///< one per cycle of latency
  /// Far, near forward, near back: each in the order of time, as each takes so many redirect_cycles_.
  std::array<base::GrowingRing<Redirected>, 3> redirected_;
  std::array<std::uint32_t, 3> redirect_cycles_;
  std::vector<GroupId> buffered_;  ///< groups that go on with an instruction that is there
};

}  // namespace heddle::core
