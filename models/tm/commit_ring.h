// The ring buffer of a commit unit as a block ([KiloTM] §4.2.5): every commit id has an entry in every unit, and stages pass
// over them in the order of ids. It knows what an entry is by the number of its slot only; RCID, YCID and outcomes lie there.
//
// Stages pass over entries that concern other partitions (SKIP) in no time; an entry retires by itself, and its slot is free.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tm/commit_id.h"
#include "tm/config.h"
#include "tm/event_block.h"

namespace heddle::tm {

/// In the order in which an entry meets them.
enum class RingStage : std::uint8_t { kHazard, kWait, kOutcome, kFinal, kCommit, kRetire };
inline constexpr unsigned kRingStages = 6;

struct RingEvent {
  enum class Op : std::uint8_t {
    kAllocate,  ///< an entry of ids `cid` ... `cid` + `count` - 1, in `slot`. More than there are: std::logic_error
    kSkip,      ///< the entry of `cid` has no words here
    kFind,      ///< -> `found`, `slot`: the entry that begins with `cid`, if it is live
    kClock,     ///< stages pass over what does not concern them (`moved`), as far as the next younger one
                ///< has come -> `heads`: the slots of the entries that they are at, or kNoSlot
    kOldest,    ///< -> `found`, `slot`: the entry at the retire stage, if it has passed all others
    kAdvance,   ///< it goes on to the next stage; kRetire: it is not live any longer
    kPointers,  ///< -> `pointers`, by stage
  };
  Op op = Op::kFind;
  RingStage stage = RingStage::kHazard;
  Cid cid = 0;
  std::uint32_t count = 1;
  std::uint32_t slot = 0;
  bool found = false, moved = false;
  Cid oldest = 0, youngest = 0;          ///< answer: the retire pointer; behind the youngest id that is known
  const Cid* pointers = nullptr;         ///< valid until the next event; likewise heads
  const std::uint32_t* heads = nullptr;  ///< by stage
  static constexpr std::uint32_t kNoSlot = ~0u;
};

class CommitRing final : public EventPort<RingEvent> {
 public:
  explicit CommitRing(const CommitUnitConfig& config) : entries_most_(config.ring_entries) {
    pointers_.fill(kFirstCid);
  }
  void serve(RingEvent& event) override;

 private:
  struct Entry {
    std::uint32_t slot = RingEvent::kNoSlot;
    std::uint32_t count = 0;
    bool skip = false;
  };
  [[nodiscard]] Cid& pointer(RingStage stage) { return pointers_[static_cast<unsigned>(stage)]; }
  [[nodiscard]] Entry& entry(Cid cid) { return entries_[cid & (entries_.size() - 1)]; }
  [[nodiscard]] Entry* at(Cid cid) {
    if (cid - pointer(RingStage::kRetire) >= entries_.size()) return nullptr;
    Entry& found = entry(cid);
    return found.slot != RingEvent::kNoSlot ? &found : nullptr;
  }
  void grow(Cid entries);
  void allocate(const RingEvent& event);
  [[nodiscard]] const Entry* head(RingStage stage, bool& moved);
  void clock(RingEvent& event);
  void advance(const RingEvent& event);

  std::uint32_t entries_most_;  ///< 0: any number
  /// By the lowest bits of the id, from the retire pointer on: a power of two, as many as were live at a time. Those of
  /// several ids are at their first one.
  std::vector<Entry> entries_ = std::vector<Entry>(64);
  std::array<Cid, kRingStages> pointers_{};
  std::array<std::uint32_t, kRingStages> heads_{};
  Cid youngest_ = kFirstCid;
  Cid committed_ = kFirstCid;  ///< the commit stage when the clock began
};

}  // namespace heddle::tm
