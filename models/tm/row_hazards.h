// What a commit unit asks hazard detection about its rows ([KiloTM] §4.2.5, §4.4.3, [KiloTM:E1], [KiloTM:E2]), and notes in them.
#pragma once

#include <cstdint>

#include "tm/commit_rows.h"

namespace heddle::tm {

class RowHazards {
 public:
  RowHazards(EventPort<HazardEvent>& detection, CommitRows& rows, CommitUnitCounters& counters)
      : detection_(detection), rows_(rows), counters_(counters) {}

  /// A clock begins.
  void clock() { looked_ = false; }
  /// Words have been looked up or inserted in this clock.
  [[nodiscard]] bool looked() const { return looked_; }
  /// The comparison behind a row's reads takes this clock as well.
  bool compares() {
    if (comparing_ == 0) return false;
    --comparing_;
    return true;
  }

  /// The row's first words have come.
  void begin(CommitRow& row);
  /// A word that it has read.
  void look_up(CommitRow& row, const LogWord& word);
  /// All of them were looked up: what can be said of them together only.
  void reads_end(CommitRow& row);
  /// A word that it writes.
  void insert(const CommitRow& row, const LogWord& word);
  /// Rows before that id have passed the stage.
  void pass(Cid before);
  /// Who may have written the word at an address since; 0: nobody. For messages.
  [[nodiscard]] Cid writer_of(const CommitRow& row, std::uint64_t address) const;

 private:
  [[nodiscard]] HazardEvent event(HazardEvent::Op op, const CommitRow& row, std::uint64_t address) const;

  EventPort<HazardEvent>& detection_;
  CommitRows& rows_;
  CommitUnitCounters& counters_;
  std::uint32_t comparing_ = 0;  ///< clocks that the comparison still takes
  bool looked_ = false;
};

}  // namespace heddle::tm
