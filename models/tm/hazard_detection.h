// Hazard detection of a commit unit as a block: the last writer history, and the window in which ids of the rows that are under
// way are told apart (tbc-and-kilotm §5.6, E1, E2). Events go in, a word a time; it knows rows by their ids only, so that a
// hardware block takes the same events.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "tm/config.h"
#include "tm/last_writer_history.h"

namespace heddle::tm {

struct HazardEvent {
  enum class Op : std::uint8_t {
    kBegin,  ///< the first words of a row have come: `since`, the retire pointer, becomes its RCID
    kLookUp,  ///< may somebody since `since` have written `word`, which a transaction of the row has read? -> `writer`
    kInsert,  ///< transaction `writer` of the row writes `word`
    kPass,    ///< rows before `row` have passed hazard detection
  };
  Op op = Op::kLookUp;
  Cid row = 0;              ///< first id
  std::uint32_t count = 1;  ///< of its ids
  Cid since = 0;
  Cid retired = 0;         ///< the unit's retire pointer
  Cid youngest = 0;        ///< behind the youngest id that is known, for a broken rule
  std::uint64_t word = 0;  ///< number, not address
  std::optional<Cid> writer;
};

struct HazardRules {
  HistoryRules history;
  bool window_ends_here = true;  ///< E2: at the row, not at the youngest one
};

class HazardDetection {
 public:
  HazardDetection(const CommitUnitConfig& config, const HazardRules& rules);

  void serve(HazardEvent& event);
  [[nodiscard]] const LastWriterHistory& history() const { return history_; }

 private:
  [[nodiscard]] Cid window_base(Cid retired) const;

  HazardRules rules_;
  unsigned stored_bits_;
  LastWriterHistory history_;
  std::deque<std::pair<Cid, Cid>>
      begun_;  ///< {RCID, id} in the order in which they began; front: has not passed
  Cid passed_ = 0;
};

}  // namespace heddle::tm
