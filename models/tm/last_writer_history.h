// Last Writer History of a commit unit (tbc-and-kilotm §5.6): for each word the youngest transaction that wrote it. A small
// exact table, set associative, and a recency Bloom filter for what the table has no room for. Nothing is deleted: who
// retired long ago is older than the RCIDs that are compared with it.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tm/recency_bloom_filter.h"

namespace heddle::tm {

/// Of the history; entries of 4 + 2 bytes, buckets of 2.
struct HistoryConfig {
  std::uint32_t table_entries = 512;
  std::uint32_t table_ways = 4;
  std::uint32_t arrays = 4;
  std::uint32_t buckets = 256;  ///< of a sub-array
  bool perfect = false;         ///< every word has an entry of its own
};

/// Rules that make it sound (tbc-and-kilotm §5.6), broken one at a time by tests that must notice.
struct HistoryRules {
  bool bloom_keeps_youngest = true;   ///< rule 1
  bool keeps_retired_victims = true;  ///< rule 3: an evicted writer goes to the filter even if it has retired
};

class LastWriterHistory {
 public:
  LastWriterHistory(const HistoryConfig& config, RecencyBloomFilter::Hash hash,
                    const HistoryRules& rules = {});

  /// The youngest transaction in the window that may have written the word.
  [[nodiscard]] std::optional<Cid> lookup(std::uint64_t word, const CidWindow& window);
  /// `retired`: the commit unit's retire pointer, for a broken rule.
  void insert(std::uint64_t word, Cid cid, const CidWindow& window, Cid retired);

  [[nodiscard]] std::uint64_t table_hits() const { return hits_; }
  [[nodiscard]] std::uint64_t evictions() const { return evictions_; }
  [[nodiscard]] const RecencyBloomFilter& filter() const { return filter_; }
  /// (§12) Entries of the table, and buckets.
  [[nodiscard]] static std::uint64_t storage_bytes(const HistoryConfig& config);

 private:
  struct Entry {
    bool valid = false;
    std::uint64_t word = 0;
    Cid cid = 0;  ///< stored form
  };
  [[nodiscard]] Entry* find(std::uint64_t word);
  [[nodiscard]] Entry& victim(std::uint64_t word, const CidWindow& window);

  HistoryConfig config_;
  HistoryRules rules_;
  std::vector<Entry> table_;
  RecencyBloomFilter filter_;
  std::unordered_map<std::uint64_t, Cid> exact_;  ///< perfect
  std::uint64_t hits_ = 0, evictions_ = 0;
};

}  // namespace heddle::tm
