// Last Writer History of a commit unit as a block ([KiloTM] §4.2.5, §4.4.3): for each word the youngest transaction that wrote
// it. A small exact table, set associative, and a recency Bloom filter for what the table has no room for. Nothing is deleted:
// who retired long ago is older than the RCIDs that are compared with it.
//
// Hardware: the set of a word and a bucket of each sub-array are read together. An insertion writes an entry; who is evicted
// goes to the filter, whose buckets are read and written. Timing contract: one event a clock (tm.commit_unit.hazard_words of
// them: so many times the unit's clock), answered in it, and seen by the next one; all ids of its window are of 16 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tm/config.h"
#include "tm/event_block.h"
#include "tm/recency_bloom_filter.h"

namespace heddle::tm {

struct HistoryEvent {
  enum class Op : std::uint8_t {
    kLookUp,  ///< -> `writer`: the youngest transaction in the window that may have written `word`; none: nobody
    kInsert,   ///< transaction `cid` writes `word`. Ids come in ascending order
    kExplain,  ///< as kLookUp, for messages: takes no clock, and no hardware
  };
  Op op = Op::kLookUp;
  std::uint64_t word = 0;  ///< number, not address
  Cid cid = 0;
  Cid base = 0, end = 0;  ///< ids that an entry may stand for: [base, end) ([KiloTM:E2])
  std::optional<Cid> writer{};
};

class LastWriterHistory final : public EventPort<HistoryEvent> {
 public:
  explicit LastWriterHistory(const CommitUnitConfig& config);

  void serve(HistoryEvent& event) override;

  /// ([KiloTM] §4.4.4) Entries of the table, and buckets.
  [[nodiscard]] static std::uint64_t storage_bytes(const HistoryConfig& config);

 private:
  [[nodiscard]] std::optional<Cid> lookup(std::uint64_t word, const CidWindow& window);
  void insert(const HistoryEvent& event, const CidWindow& window);
  struct Entry {
    bool valid = false;
    std::uint64_t word = 0;
    Cid cid = 0;  ///< stored form
  };
  [[nodiscard]] Entry* find(std::uint64_t word);
  [[nodiscard]] Entry& victim(std::uint64_t word, const CidWindow& window);

  HistoryConfig config_;
  unsigned stored_bits_;  ///< of an id in table and filter
  std::vector<Entry> table_;
  RecencyBloomFilter filter_;
  std::unordered_map<std::uint64_t, Cid> exact_;  ///< perfect
};

}  // namespace heddle::tm
