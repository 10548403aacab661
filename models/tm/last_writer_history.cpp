#include "tm/last_writer_history.h"

#include <bit>
#include <utility>

#include "tm/h3_hash.h"

namespace heddle::tm {
namespace {

RecencyBloomFilter::Hash h3(const CommitUnitConfig& config) {
  const auto bits = static_cast<unsigned>(std::countr_zero(config.history.buckets));
  return [hash = H3Hash(config.history.arrays, bits, config.hash_seed)](unsigned array, std::uint64_t key) {
    return hash(array, key);
  };
}

}  // namespace

LastWriterHistory::LastWriterHistory(const CommitUnitConfig& config)
    : config_(config.history),
      stored_bits_(config.stored_bits()),
      table_(config_.table_entries),
      filter_(config_.arrays, config_.buckets, h3(config)) {}

void LastWriterHistory::serve(HistoryEvent& event) {
  const CidWindow window(event.base, event.end, stored_bits_);
  if (event.op == HistoryEvent::Op::kInsert)
    insert(event, window);
  else
    event.writer = lookup(event.word, window);
}

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
    // Nobody in the window is older than everybody in it. Our choice: the smallest id goes.
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
  if (const Entry* const entry = find(word)) return window.meaning(entry->cid);
  return filter_.lookup(word, window);
}

void LastWriterHistory::insert(const HistoryEvent& event, const CidWindow& window) {
  const auto [word, cid] = std::pair(event.word, event.cid);
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
    const std::optional<Cid> old = window.meaning(entry.cid);
    if (old) filter_.insert(entry.word, *old, window);  // also one that has retired ([KiloTM:R3])
  }
  entry = {true, word, window.stored(cid)};
}

}  // namespace heddle::tm
