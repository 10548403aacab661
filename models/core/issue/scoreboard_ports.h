// Ports of the scoreboard's array, counted per core cycle for all of the core's schedulers together
// ([MultiPath] §7.5.6: 6 read, 3 write):
//
//   look-up   an instruction that issues: a read port for every distinct register that it reads or writes
//   reserve   the same: a write port for every destination that becomes pending
//   release   a write-back: a write port for every destination
//
// Releases come before issue in a cycle and never wait. An instruction issues if as many ports are left in
// the cycle as it needs, or, needing more than there are, if all of them are. What does not fit into the
// cycle (of such an instruction, or of many releases at once) takes ports of the following cycles.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "isa/instruction.h"

namespace heddle::core {

using base::Cycle;

/// Ports of each kind that an instruction needs to issue.
struct PortNeed {
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;
};
/// The guard of a load may turn out to leave no lane and so nothing to reserve: its ports are taken all the
/// same.
[[nodiscard]] PortNeed port_need(const isa::Instruction& instruction);

class ScoreboardPorts {
 public:
  /// 0: any number of a kind.
  ScoreboardPorts(std::uint32_t read_ports, std::uint32_t write_ports)
      : read_(read_ports), write_(write_ports) {}

  // Cycles never go back.
  [[nodiscard]] bool admits(PortNeed need, Cycle now) const {
    return read_.fits(need.reads, now, kept_) && write_.fits(need.writes, now, kept_);
  }
  void take(PortNeed need, Cycle now) {
    read_.take(need.reads, now);
    write_.take(need.writes, now);
  }
  void release(std::uint32_t registers, Cycle now) { write_.take(registers, now); }
  /// Requests for ports are refused for the rest of the cycle.
  void keep(Cycle now) { kept_ = now; }

  /// Ports taken so far of a kind that is limited.
  [[nodiscard]] const std::uint64_t& reads() const { return read_.used; }
  [[nodiscard]] const std::uint64_t& writes() const { return write_.used; }

 private:
  /// The ports of one kind as a sequence, `count` of them in each cycle: all before number `next` are gone.
  struct Kind {
    explicit Kind(std::uint32_t ports) : count(ports) {}
    std::uint64_t count;
    std::uint64_t next = 0;
    std::uint64_t used = 0;
    [[nodiscard]] std::uint64_t first_of(Cycle now) const { return now * count; }
    [[nodiscard]] bool fits(std::uint32_t ports, Cycle now, Cycle kept) const {
      if (count == 0 || ports == 0) return true;
      if (kept == now) return false;
      const std::uint64_t first = first_of(now);
      return ports > count ? next <= first : next + ports <= first + count;
    }
    void take(std::uint32_t ports, Cycle now) {
      if (count == 0) return;
      next = (next > first_of(now) ? next : first_of(now)) + ports;
      used += ports;
    }
  };
  Kind read_;
  Kind write_;
  Cycle kept_ = base::kNever;  ///< the cycle of the last keep()
};

}  // namespace heddle::core
