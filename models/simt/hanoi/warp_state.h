// The state of a warp in Hanoi and what instructions do to it: [Hanoi] §VII (profile P), [Hanoi:X1] (profile X).
// Knows nothing of SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

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
    kWarpSync,   ///< lanes `value`; those in `again` execute it again
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
  std::uint32_t barrier = 0;
  bool clear = false;
  LaneMask value{};

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

class HanoiWarp {
 public:
  struct Path {
    Pc pc{};
    LaneMask mask{};
    bool back = false;     ///< from outside of the warp, and has not run since
    bool yielded = false;  ///< barriers: by a YIELD, and has not run since
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
  };

  /// Both outlive this.
  HanoiWarp(const HanoiConfig& config, FirstSide first_side, HanoiStats& stats);

  void serve(HanoiEvent& event);

  [[nodiscard]] const std::vector<Path>& paths() const { return ws_; }      ///< bottom first
  [[nodiscard]] const std::vector<Entry>& entries() const { return rec_; }  ///< bottom first
  [[nodiscard]] const std::vector<Path>& outside() const { return outside_; }
  [[nodiscard]] const Register& barrier(std::uint32_t number) const { return registers_[number]; }
  [[nodiscard]] LaneMask waiting() const { return waiting_; }
  [[nodiscard]] LaneMask finished() const { return finished_; }
  /// X: the entry that a waiting lane waits at; barriers: the register.
  [[nodiscard]] std::uint32_t tag(unsigned lane) const { return tag_[lane]; }
  /// Where a waiting lane has to resume. P does not know it; only diagnosis and statistics look.
  [[nodiscard]] Pc own_resume(unsigned lane) const { return resume_[lane]; }
  /// Paths below the top that a YIELD would count as its siblings.
  [[nodiscard]] std::size_t siblings() const;

 private:
  using Op = HanoiEvent::Op;
  void execute(HanoiEvent& event);
  void branch(const HanoiEvent& event);
  void bssy(HanoiEvent& event);
  void bsync(HanoiEvent& event);
  void bsync_tagged(HanoiEvent& event);
  void warpsync(HanoiEvent& event);
  [[nodiscard]] HanoiError join_mask(HanoiEvent& event, LaneMask members);
  [[nodiscard]] HanoiError join_tagged(HanoiEvent& event, LaneMask members);
  [[nodiscard]] HanoiError join_barriers(HanoiEvent& event, LaneMask members);
  void exit(const HanoiEvent& event);

  // barriers.cpp. `ran`: the lanes of the path that executes the instruction.
  /// False: the operation is the same in all profiles.
  [[nodiscard]] bool execute_barriers(HanoiEvent& event);
  void bsync_barriers(HanoiEvent& event, LaneMask ran);
  void yield_barriers(HanoiEvent& event, LaneMask ran);
  /// Lanes of paths that have yielded.
  [[nodiscard]] LaneMask yielded() const;
  void run_next();
  void join_top();
  /// Lanes that wait at a complete register become paths, from index `at` of ws_ on. A BSYNC does not wait for
  /// `excused`. False: none is complete.
  bool release_any(LaneMask excused, std::size_t at);
  bool release_complete(std::uint32_t number, LaneMask excused, std::size_t at);
  void release_at(LaneMask lanes, std::size_t at);
  void break_stall_barriers(std::size_t at);

  void yield(HanoiEvent& event);
  bool release_by_yield();
  void release_outside(LaneMask lanes);
  /// Number of the innermost region that names one of the lanes, from 1; 0: none does.
  [[nodiscard]] std::size_t region_of(LaneMask lanes) const;

  /// P: what a BSYNC breaks of the contract ([Hanoi:I6], [Hanoi:I7]).
  [[nodiscard]] HanoiError broken_contract(const HanoiEvent& event) const;
  /// `lanes` of the running path leave it; the others go on at `next`.
  void shrink(LaneMask lanes, LaneMask again, Pc next);
  void wait(LaneMask lanes, Pc resume);
  void push_path(Pc pc, LaneMask mask);
  [[nodiscard]] bool push_entry(const Entry& entry);
  /// X: with a full stack, in place of an entry that nobody waits at. The number of entries: there is no room.
  [[nodiscard]] std::uint32_t push_tagged(const Entry& entry);
  [[nodiscard]] std::uint32_t free_private() const;
  [[nodiscard]] LaneMask awaited(const Entry& entry) const {
    return LaneMask::difference(registers_[entry.barrier].mask, finished_);
  }
  /// Waiting lanes with that tag.
  [[nodiscard]] LaneMask arrived(std::uint32_t tag) const;
  void pop(bool counts);
  void release(Pc pc, LaneMask lanes);

  void check(HanoiEvent& event);
  void check_mask(HanoiEvent& event);
  void check_tagged(HanoiEvent& event);
  [[nodiscard]] bool release_warpsync(std::uint32_t number);
  bool break_stall();
  [[nodiscard]] bool has_work() const;
  [[nodiscard]] bool complete(std::uint32_t private_register) const;

  const HanoiConfig& config_;
  FirstSide first_side_;
  HanoiStats& stats_;
  std::vector<Path> ws_;
  std::vector<Entry> rec_;
  std::array<Register, kHanoiMostRegisters> registers_{};
  LaneMask waiting_;
  LaneMask finished_;
  std::array<std::uint8_t, base::kLanes> tag_{};
  std::vector<Path> outside_;  ///< wait for something outside of the warp, in the order in which they came
  std::uint64_t yields_ = 0;
  std::uint64_t bsyncs_ = 0;
  std::uint32_t patience_ = 0;  ///< barriers: YIELDs since lanes that waited have gone on
  std::uint32_t turn_ = 0;  ///< yield=exchange without an entry, or per warp
  std::array<Pc, base::kLanes> resume_{};
};

}  // namespace heddle::simt
