// What the warps of a launch are doing: what the machine knows of it, and that in words, for the diagnosis of a hang and for a
// launch that is ended.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"
#include "hang/suspended_lanes.h"
#include "isa/kernel.h"

namespace heddle::hang {

/// A warp of a launch, as users name it.
struct WarpPlace {
  std::uint32_t core = 0;
  std::array<std::uint32_t, 3> cta{};  ///< its id
  std::uint32_t warp_in_cta = 0;
};
/// "core 0, CTA (0,0,0), warp 2"
[[nodiscard]] std::string warp_name(const WarpPlace& place);

/// What lanes that are scheduled together do.
enum class Doing : std::uint8_t {
  kRun,
  kReady,            ///< they could issue
  kNextInstruction,  ///< they wait for it
  kMemory,           ///< they wait for a load or atomic
  kFence,
  kNothing,  ///< nothing of the warp runs, and the first of `held` stand for it
  kSpin,     ///< in the loop that starts at `at`
  kBarrier,  ///< they wait at a CTA barrier
  kMeet,     ///< they wait at a .sync instruction
};

/// For whom lanes at a .sync instruction wait.
struct Meeting {
  base::LaneMask missing{};              ///< lanes that they name and that have not come
  std::vector<std::uint32_t> members{};  ///< their member masks, each once
};

/// The arrivals at a CTA barrier.
struct Arrivals {
  std::uint32_t barrier = 0;
  std::uint32_t arrived = 0;   ///< threads
  std::uint32_t expected = 0;  ///< threads
  bool counts_warps = false;   ///< a thread arrives for its whole warp, counted as 32
};

/// An issue group, and the lanes of its warp that are held back meanwhile.
struct GroupActivity {
  WarpPlace warp{};
  base::LaneMask lanes{};
  Doing doing = Doing::kRun;
  base::Pc at{};        ///< where: the next instruction, the loop, the barrier
  Arrivals arrivals{};  ///< kBarrier
  Meeting meeting{};    ///< kMeet
  struct Held : SuspendedLanes {
    bool meets = false;  ///< at a .sync instruction
    Meeting meeting{};   ///< of those
  };
  std::vector<Held> held{};  ///< as the mechanism lists them
};

/// In words, ready to print behind a message: those warps first whose own lanes hold each other back, a few lines each.
[[nodiscard]] std::string describe(const std::vector<GroupActivity>& groups, const isa::Kernel& kernel);

}  // namespace heddle::hang
