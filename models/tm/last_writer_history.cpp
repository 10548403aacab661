#include "tm/last_writer_history.h"

#include <utility>

namespace heddle::tm {

LastWriterHistory::LastWriterHistory(const HistoryConfig& config, RecencyBloomFilter::Hash hash,
                                     const HistoryRules& rules)
    : config_(config),
      rules_(rules),
      table_(config.table_entries),
      filter_(config.arrays, config.buckets, std::move(hash)) {}

std::uint64_t LastWriterHistory::storage_bytes(const HistoryConfig& config) {
  return std::uint64_t{config.table_entries} * 6 + std::uint64_t{config.arrays} * config.buckets * 2;
}

LastWriterHistory::Entry* LastWriterHistory::find(std::uint64_t word) {
  const std::uint32_t sets = config_.table_entries / config_.table_ways;
  Entry* const set = &table_[word % sets * config_.table_ways];
  for (std::uint32_t way = 0; way < config_.table_ways; ++way)
    if (set[way].valid && set[way].word == word) return &set[way];
  return nullptr;
}

LastWriterHistory::Entry& LastWriterHistory::victim(std::uint64_t word, const CidWindow& window) {
  const std::uint32_t sets = config_.table_entries / config_.table_ways;
  Entry* const set = &table_[word % sets * config_.table_ways];
  Entry* oldest = nullptr;
  std::optional<Cid> oldest_cid;
  for (std::uint32_t way = 0; way < config_.table_ways; ++way) {
    if (!set[way].valid) return set[way];
    // Nobody in the window is older than everybody in it. [P]: the smallest id goes.
    const std::optional<Cid> cid = window.meaning(set[way].cid);
    if (oldest == nullptr || (oldest_cid && (!cid || *cid < *oldest_cid))) {
      oldest = &set[way];
      oldest_cid = cid;
    }
  }
  return *oldest;
}

std::optional<Cid> LastWriterHistory::lookup(std::uint64_t word, const CidWindow& window) {
  if (config_.perfect) {
    const auto known = exact_.find(word);
    return known == exact_.end() || known->second < window.base() ? std::nullopt
                                                                  : std::optional(known->second);
  }
  if (const Entry* const entry = find(word)) {
    ++hits_;
    return window.meaning(entry->cid);
  }
  return filter_.lookup(word, window);
}

void LastWriterHistory::insert(std::uint64_t word, Cid cid, const CidWindow& window, Cid retired) {
  if (config_.perfect) {
    exact_[word] = cid;
    return;
  }
  if (Entry* const entry = find(word)) {
    entry->cid = window.stored(cid);  // ids come ascending: this is the youngest
    return;
  }
  Entry& entry = victim(word, window);
  if (entry.valid) {
    ++evictions_;
    const std::optional<Cid> old = window.meaning(entry.cid);
    const bool drop = !rules_.keeps_retired_victims && old && *old < retired;
    if (old && !drop) filter_.insert(entry.word, *old, window, !rules_.bloom_keeps_youngest);
  }
  entry = {true, word, window.stored(cid)};
}

}  // namespace heddle::tm
