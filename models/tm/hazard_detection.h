// Hazard detection of a commit unit as a block: who has written, since it began, what a transaction has read
// ([KiloTM] §4.2.5, §4.4.3, [KiloTM:E1], [KiloTM:E2]). Events go in, a word a time; it knows rows by their ids only, so that a
// hardware block takes the same events.
// HazardDetection does it with the last writer history, a block behind it; comparison/bf_array.h with signatures of all entries.
//
// A row: kBegin, then, in the order of ids, kLookUp for its reads, kReadsEnd, kInsert for its writes, kPass.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "tm/config.h"
#include "tm/event_block.h"
#include "tm/last_writer_history.h"

namespace heddle::tm {

struct HazardEvent {
  enum class Op : std::uint8_t {
    kBegin,  ///< the first words of a row have come: `since`, the retire pointer, becomes its RCID
    kLookUp,  ///< may somebody since `since` have written `word`, which a transaction of the row has read? -> `writer`
    kReadsEnd,  ///< that was all that the row has read. May somebody have written any of it? -> `writer`, `clocks`
    kInsert,   ///< transaction `writer` of the row writes `word`
    kPass,     ///< rows before `row` have passed hazard detection
    kExplain,  ///< as kLookUp, of any row that has begun, for messages: no row's state changes
  };
  Op op = Op::kLookUp;
  Cid row = 0;              ///< first id
  std::uint32_t count = 1;  ///< of its ids
  Cid since = 0;
  Cid retired = 0;         ///< the unit's retire pointer
  std::uint64_t word = 0;  ///< number, not address
  std::optional<Cid> writer{};
  std::uint32_t clocks = 0;  ///< that kReadsEnd takes beside those of its words
};

/// As the configuration asks for it. `history`: null if its kind needs none (has_history).
[[nodiscard]] std::unique_ptr<EventPort<HazardEvent>> make_hazard_model(const CommitUnitConfig& config,
                                                                        EventPort<HistoryEvent>* history);
[[nodiscard]] inline bool has_history(const CommitUnitConfig& config) {
  return config.hazard_detection == HazardKind::kHistory;
}

/// From which id on somebody may still be asked for: the oldest RCID of rows that have not passed hazard detection.
class HazardWindow {
 public:
  void begin(Cid since, Cid row) { begun_.emplace_back(since, row); }
  void pass(Cid row) {
    passed_ = row;
    while (!begun_.empty() && begun_.front().second < passed_) begun_.pop_front();
  }
  [[nodiscard]] Cid base(Cid retired) const;

 private:
  std::deque<std::pair<Cid, Cid>>
      begun_;  ///< {RCID, id} in the order in which they began; front: has not passed
  Cid passed_ = 0;
};

class HazardDetection final : public EventPort<HazardEvent> {
 public:
  explicit HazardDetection(EventPort<HistoryEvent>& history) : history_(history) {}

  void serve(HazardEvent& event) override;

 private:
  [[nodiscard]] HistoryEvent history_event(HistoryEvent::Op op, const HazardEvent& event, Cid end) const;

  EventPort<HistoryEvent>& history_;
  HazardWindow window_;
};

/// As a module: its events come in, and those of the history go out.
class HazardBlock : public sc_core::sc_module {
  void serve(HazardEvent& event) { model_->serve(event); }

 public:
  HazardBlock(const sc_core::sc_module_name& name, const CommitUnitConfig& config);

  sim::BlockTarget<core::ProtocolOf<HazardEvent>, HazardBlock, &HazardBlock::serve> event_tsock{"event_tsock",
                                                                                                this};
  std::unique_ptr<EventSocket<HistoryEvent>> history_port;  ///< "history_isock"; null: has_history is false

 private:
  std::unique_ptr<EventPort<HazardEvent>> model_;
};

}  // namespace heddle::tm
