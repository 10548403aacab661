// The records of the splits and reconvergence tables ([AWARE] §5.1, §5.5.1).
//
// A place in a kernel is a PC in a call frame: recursion comes back to the same PC level by level
// ([AWARE:H3], [AWARE:A25]). Frame 0 is the kernel itself; a call leads to the next frame. The frames and the
// kind of a point are not in the thesis' entries: they are kept for all 32 numbers of a warp and never leave
// the core.
#pragma once

#include <array>
#include <cstdint>

#include "simt/control_flow_protocol.h"

namespace heddle::simt {

/// Entries of a warp's tables are numbered 0 .. kTableEntries-1, wherever their contents are.
inline constexpr unsigned kTableEntries = base::kLanes;
using SplitId = base::Id<struct SplitTag, std::uint8_t>;                  ///< S-Index
using ReconvergenceId = base::Id<struct ReconvergenceTag, std::uint8_t>;  ///< R-Index
inline constexpr SplitId kNoSplit{0xff};
inline constexpr ReconvergenceId kNoReconvergence{0xff};

/// Where lanes that diverged meet again.
struct MeetingPoint {
  enum class Kind : std::uint8_t {
    kBranch,  ///< the reconvergence PC of a branch
    kReturn,  ///< where the lanes of one activation of a function come back to
    kEarly,   ///< where a split caught up with another one (OREC)
  };
  Pc pc = kNoPc;            ///< kNoPc in a kReturn point: not known before the first return
  std::uint32_t frame = 0;  ///< call frame that pc is in
  ReconvergenceId index = kNoReconvergence;
  Kind kind = Kind::kBranch;

  [[nodiscard]] bool exists() const { return index != kNoReconvergence; }
  [[nodiscard]] bool is(Pc at, std::uint32_t in_frame) const {
    return pc == at && pc != kNoPc && frame == in_frame;
  }
  bool operator==(const MeetingPoint&) const = default;
};

/// Entry of the splits table: lanes that run together.
struct Split {
  Pc pc{};  ///< first instruction to fetch when it is scheduled
  MeetingPoint rpc{};
  LaneMask mask{};
  std::uint32_t frame = 0;  ///< call frame it runs in
  bool blocked = false;     ///< BL of Multi-Path, which has no FIFO: waits at a barrier

  [[nodiscard]] bool at_rpc() const { return rpc.is(pc, frame); }
  /// The PC that the core has to report.
  [[nodiscard]] Pc watch() const { return rpc.frame == frame ? rpc.pc : kNoPc; }
  bool operator==(const Split&) const = default;
};

/// Entry of the reconvergence table: a point at which lanes wait for others.
struct Reconvergence {
  Pc pc = kNoPc;
  std::uint32_t frame = 0;
  MeetingPoint::Kind kind = MeetingPoint::Kind::kBranch;
  MeetingPoint rpc{};  ///< where its lanes meet others afterwards: the parent entry
  LaneMask rec{};      ///< lanes expected
  LaneMask pend{};     ///< of these, lanes that have not come yet

  [[nodiscard]] LaneMask arrived() const { return LaneMask::difference(rec, pend); }
  /// The point that a split with this entry goes to.
  [[nodiscard]] MeetingPoint point(ReconvergenceId index) const { return {pc, frame, index, kind}; }
  /// What the lanes are when all have come.
  [[nodiscard]] Split split() const { return {pc, rpc, rec, frame, false}; }
  bool operator==(const Reconvergence&) const = default;
};

}  // namespace heddle::simt
