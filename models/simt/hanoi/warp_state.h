// The state of a warp in Hanoi and what instructions do to it, as all profiles have it. Knows nothing of SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hang/suspended_lanes.h"
#include "isa/convergence.h"
#include "isa/program_facts.h"
#include "simt/hanoi/shape.h"

namespace heddle::simt {

enum class HanoiError : std::uint8_t {
  kNone,
  kNoRegister,         ///< a barrier register that programs cannot name
  kStackFull,          ///< the REC stack overflows: in X by lanes that wait at WARPSYNCs only
  kContract,           ///< P: BSYNC by lanes that its register does not name, or under another region
  kOtherSync,          ///< P: BSYNC by lanes whose BSSY names another one ([Hanoi:K1])
  kNoPrivateRegister,  ///< WARPSYNC: all registers for it are in use
  kNotMember,          ///< WARPSYNC by a lane that its mask does not name
  kMisrouted,  ///< P: CHECK lets lanes go on behind a WARPSYNC or BSYNC at which they have not waited ([Hanoi:I6])
};

/// One executed instruction, and what becomes of the warp. Ports of [Hanoi:T1]: ev_*, top_*, done_o, stuck_o, err_o.
struct HanoiEvent {
  enum class Op : std::uint8_t {
    kLaunch,     ///< the warp starts at `next` with lanes `exec`
    kNext,       ///< sequential flow, to `next`
    kBranch,     ///< `exec` go to `target`, the others to `next`
    kIndirect,   ///< `exec` go to `target`, the others execute it again
    kBssy,       ///< `barrier`; lanes that meet go on at `target`
    kBsync,      ///< `barrier`
    kBreak,      ///< `barrier`
    kBmovRead,   ///< `value` := `barrier`; `clear`: which is invalid then
    kBmovWrite,  ///< `barrier` := `value`
    kWarpSync,   ///< lanes `value` or `members`, `kind`; those in `again` execute it again
    kExit,
    kYield,
    kBarrier,  ///< `exec` of the running path wait for something outside of it
    kRelease,  ///< lanes `exec`, which wait so, go on
  };
  Op op = Op::kNext;
  WarpId warp{};
  LaneMask exec{};
  LaneMask again{};
  Pc next = kNoPc;
  Pc target = kNoPc;
  const Pc* lane_target = nullptr;  ///< kIndirect: each lane to its own, nobody executes it again
  const std::uint32_t* members =
      nullptr;  ///< plain kWarpSync: the lanes that each lane names; null: all name `value`
  const isa::ProgramFacts* facts = nullptr;  ///< kLaunch: of the program, or null
  std::uint32_t barrier = 0;
  bool clear = false;
  LaneMask value{};
  isa::WarpSyncKind kind = isa::WarpSyncKind::kPlain;

  // Answer
  HanoiError error = HanoiError::kNone;
  bool top_valid = false;
  Pc top_pc = kNoPc;
  LaneMask top_mask{};
  bool top_switch = false;  ///< another path runs than the one that asked, or it is elsewhere than at `next`
  bool done = false;        ///< all lanes have ended
  bool stuck = false;       ///< no path is left, but lanes wait
  bool check_again =
      false;  ///< another entry is complete: CHECK has to run before the instruction after the next
  std::uint32_t cycles = 0;  ///< pops and scans that take a cycle each
};

struct HanoiStats {
  std::uint64_t regions = 0;
  std::uint64_t syncs = 0;
  std::uint64_t moves = 0;
  std::uint64_t reconvergences = 0;
  std::uint64_t empty_pops = 0;
  std::uint64_t stall_breaks = 0;
  std::uint64_t yields = 0;
  std::uint64_t turns = 0;
  std::uint64_t yield_releases = 0;
  std::uint64_t dropped_regions = 0;
  std::uint64_t misrouted = 0;
  std::uint64_t joins = 0;
  std::uint64_t max_paths = 0;
  std::uint64_t max_entries = 0;
};

/// Of what decides where a warp goes on.
class HanoiDigest {
 public:
  void mix(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x9e3779b97f4a7c15ull;
    value_ ^= value_ >> 32;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

/// Runnable paths, barrier registers and lanes that wait. Who waits for whom and who goes on when is the profile's:
/// HanoiRecWarp, HanoiBarrierWarp.
class HanoiWarp {
 public:
  struct Path {
    Pc pc{};
    LaneMask mask{};
    bool back = false;     ///< P, X: from outside of the warp, and has not run since
    bool yielded = false;  ///< barriers: by a YIELD, and has not run since
    bool apart = false;    ///< barriers: from an exclusive or collective WARPSYNC, and has not run since
    bool operator==(const Path&) const = default;
  };
  struct Entry {
    Pc pc{};  ///< where lanes resume
    std::uint32_t barrier = 0;
    bool warpsync = false;   ///< its register is a private one
    bool dead = false;       ///< X: its lanes have gone on; not the top yet
    std::uint32_t turn = 0;  ///< yield=exchange
  };
  struct Register {
    LaneMask mask{};
    bool valid = false;
    isa::WarpSyncKind kind = isa::WarpSyncKind::kPlain;  ///< of a private one
  };

  /// Of the profile of `config`. Both outlive the warp.
  [[nodiscard]] static std::unique_ptr<HanoiWarp> make(const HanoiConfig& config, FirstSide first_side,
                                                       HanoiStats& stats);
  virtual ~HanoiWarp() = default;

  void serve(HanoiEvent& event);

  [[nodiscard]] const std::vector<Path>& paths() const { return ws_; }  ///< bottom first
  /// The REC stack, bottom first; barriers: none.
  [[nodiscard]] virtual std::span<const Entry> entries() const { return {}; }
  [[nodiscard]] const std::vector<Path>& outside() const { return outside_; }
  [[nodiscard]] const Register& barrier(std::uint32_t number) const { return registers_[number]; }
  [[nodiscard]] LaneMask waiting() const { return waiting_; }
  [[nodiscard]] LaneMask finished() const { return finished_; }
  /// X: the entry that a waiting lane waits at; barriers: the register.
  [[nodiscard]] std::uint32_t tag(unsigned lane) const { return tag_[lane]; }
  /// Where a waiting lane has to resume. P does not know it; only diagnosis and statistics look.
  [[nodiscard]] Pc own_resume(unsigned lane) const { return resume_[lane]; }
  /// Paths below the top to which YIELDs would give turns.
  [[nodiscard]] virtual std::size_t turns() const = 0;
  /// The waiting lanes by what they wait at, but not what frees them.
  [[nodiscard]] virtual std::vector<hang::SuspendedLanes> waiting_lanes() const = 0;
  /// Of what decides where the running path, with lanes `mask`, goes on.
  [[nodiscard]] HanoiDigest digest(LaneMask mask) const;

 protected:
  using Op = HanoiEvent::Op;
  HanoiWarp(const HanoiConfig& config, FirstSide first_side, HanoiStats& stats);

  // What the profiles do differently. The running path is behind the BSSY or YIELD already, and programs can name the
  // barrier register.
  virtual void launched() = 0;
  virtual void bssy(HanoiEvent& event) = 0;
  virtual void bsync(HanoiEvent& event) = 0;
  /// Lanes of the event wait at a WARPSYNC for the live lanes `members`. The event's target is where they go on: a collective
  /// one's, where the first of them do.
  [[nodiscard]] virtual HanoiError join(HanoiEvent& event, LaneMask members) = 0;
  /// Behind a BREAK or a BMOV.
  virtual void moved(const HanoiEvent& /*event*/) {}
  virtual void yield(HanoiEvent& event) = 0;
  /// These of the lanes outside of the warp go on.
  virtual void release_outside(LaneMask lanes) = 0;
  /// The running path has ended, or waits at a WARPSYNC or outside.
  virtual void stopped() {}
  /// Behind every event. `may_release`: waiting lanes may go on.
  virtual void check(HanoiEvent& /*event*/, bool /*may_release*/) {}
  virtual void mix_into(HanoiDigest& digest) const = 0;

  /// `lanes` of the running path leave it; the others go on at `next`. True: there are none.
  bool shrink(LaneMask lanes, LaneMask again, Pc next);
  void wait(LaneMask lanes, Pc resume);
  void set_tag(LaneMask lanes, std::uint32_t tag);
  void push_path(Pc pc, LaneMask mask) { ws_.push_back({pc, mask}); }
  /// Waiting lanes with that tag.
  [[nodiscard]] LaneMask arrived(std::uint32_t tag) const;
  /// Lanes of the register that have not ended.
  [[nodiscard]] LaneMask awaited(std::uint32_t number) const {
    return LaneMask::difference(registers_[number].mask, finished_);
  }
  /// `lanes` come back from outside: `insert`(PC, lanes) for each path, in the order in which they left.
  template <class Insert>
  void come_back(LaneMask lanes, const Insert& insert) {
    for (Path& path : outside_) {
      const LaneMask goes = path.mask & lanes;
      if (goes.none()) continue;
      insert(path.pc, goes);
      path.mask = LaneMask::difference(path.mask, goes);
    }
    std::erase_if(outside_, [](const Path& path) { return path.mask.none(); });
  }

  const HanoiConfig& config_;
  HanoiStats& stats_;
  std::vector<Path> ws_;
  std::array<Register, kHanoiMostRegisters> registers_{};
  LaneMask waiting_;
  LaneMask finished_;
  std::array<std::uint8_t, base::kLanes> tag_{};
  std::vector<Path> outside_;  ///< wait for something outside of the warp, in the order in which they came
  std::array<Pc, base::kLanes> resume_{};
  const isa::ProgramFacts* facts_ = nullptr;

 private:
  void execute(HanoiEvent& event);
  void launch(const HanoiEvent& event);
  /// False, and an error: programs cannot name the event's register.
  [[nodiscard]] bool has_register(HanoiEvent& event) const;
  void branch(const HanoiEvent& event);
  void part(const HanoiEvent& event);
  void move(HanoiEvent& event);
  void warpsync(HanoiEvent& event);
  void warpsync_apart(HanoiEvent& event);

  FirstSide first_side_;
};

}  // namespace heddle::simt
