// Where threads wait for each other: CTA barriers and warp-wide instructions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oracle/machine_matrix.h"
#include "oracle/machine_operands.h"

namespace heddle::oracle::mimd {

class Meetings {
 public:
  /// `slice`: instructions of a thread's turn. The others outlive this.
  Meetings(const Program& program, const Operands& operands, Matrices& matrices, std::uint32_t slice)
      : program_(program), operands_(operands), matrices_(matrices), slice_(slice) {}

  void arrive_at_barrier(Cta& cta, Thread& thread, const Step& step);
  void arrive_in_warp(Cta& cta, Thread& thread, const Step& step);
  /// At an instruction without .sync.
  void arrive_loosely(Cta& cta, Thread& thread, const Step& step);
  /// A round has passed: those that have waited for long enough go on. Whether there were any.
  [[nodiscard]] bool meet_loosely(Cta& cta);
  /// The thread has ended.
  void leave(Cta& cta, Thread& thread);

 private:
  void release_if_complete(Cta& cta, std::uint8_t number);
  void meet_if_complete(Cta& cta, std::size_t warp);
  void finish_meeting(Cta& cta, std::size_t warp, std::uint32_t lanes);

  const Program& program_;
  const Operands& operands_;
  Matrices& matrices_;
  std::uint32_t slice_;
};

}  // namespace heddle::oracle::mimd
