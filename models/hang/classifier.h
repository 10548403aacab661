// Asks a snapshot of a hang what would happen if (hang_class.h).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hang/hang_class.h"
#include "hang/hang_proof.h"

namespace heddle::hang {

class Classifier {
 public:
  /// By the lanes of so many CTAs (0: of all), in so many steps.
  Classifier(const Snapshot& snapshot, std::size_t ctas, std::uint64_t most_steps)
      : snapshot_(snapshot), ctas_(ctas), most_steps_(most_steps), proof_(snapshot) {}
  HangReport classify();
  /// It took too many steps: some questions have no answer.
  [[nodiscard]] bool cut() const { return cut_; }
  /// Lanes were found that a hypothesis helps: more CTAs change nothing about that.
  [[nodiscard]] bool helped() const { return helped_; }
  [[nodiscard]] std::uint64_t steps() const { return proof_.steps(); }

 private:
  struct Waits {
    std::vector<Word> words;
    bool reads_memory = false;
  };

  [[nodiscard]] HangReport report(HangKind kind, std::string_view more, std::string remedy);
  [[nodiscard]] bool was_waiting(const LaneRef& ref) const;
  [[nodiscard]] bool any_running() const;
  [[nodiscard]] bool any_held() const;
  [[nodiscard]] bool any_starved() const;
  /// Lanes of a warp that has none but those that wait at convergence barriers; nullptr: there are none.
  [[nodiscard]] const SuspendedLanes* stuck_at_convergence() const;
  [[nodiscard]] std::string simt_remedy() const;
  [[nodiscard]] std::string remedy_by_code() const;
  /// What the lane that holds the lock word does, if it is not waiting.
  [[nodiscard]] std::optional<HangReport> holder_loops();
  [[nodiscard]] HangReport loop_report(bool reads_memory);
  [[nodiscard]] bool any_waiting(bool meets) const;
  /// Whether some lane waits at a barrier (`meets`: at a .sync instruction), or will.
  [[nodiscard]] bool comes_to_wait(bool meets) const;
  /// Whether releasing lanes would help any lane that runs or waits.
  [[nodiscard]] bool helps(WhatIf question);
  [[nodiscard]] Exploration explore(WhatIf question);
  [[nodiscard]] const Waits& waits_of(const LaneRef& ref);
  void ask_running();
  [[nodiscard]] std::optional<HangReport> not_resident();
  [[nodiscard]] bool undispatched_writes(const std::set<Word>& words);
  [[nodiscard]] std::optional<HangReport> lock_order();
  /// Whether it has had several values in the window, or may get another one.
  [[nodiscard]] bool varies(const Word& word) const;
  [[nodiscard]] std::optional<LaneRef> find(const Holder& holder) const;
  [[nodiscard]] HangReport of_waits();
  void tell_waits();
  [[nodiscard]] std::string lane_name(const LaneRef& ref) const {
    return snapshot_.thread_name(snapshot_.warps[ref.warp], ref.lane);
  }

  const Snapshot& snapshot_;
  const std::size_t ctas_;
  const std::uint64_t most_steps_;
  bool cut_ = false;
  bool helped_ = false;
  HangProof proof_;
  Exploration base_;
  std::vector<LaneRef> asked_;
  std::map<LaneRef, Waits> waits_;
  std::vector<std::string> details_;
};

}  // namespace heddle::hang
