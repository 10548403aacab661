// Outstanding reads of lines, of a cache or a coalescer, and who waits for them. Look-up by line is a hash probe, a free entry is
// popped from a list: nothing is scanned.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace heddle::cache {

/// `Target` names one waiting access. Several entries may be outstanding for one line (sectored caches).
template <class Target>
class MshrTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// `line_bytes` is a power of two; lines are given by the address of their first byte.
  MshrTable(std::uint32_t entries, std::uint32_t targets_per_entry, std::uint32_t line_bytes)
      : targets_per_entry_(targets_per_entry),
        line_shift_(static_cast<std::uint32_t>(std::countr_zero(line_bytes))),
        entries_(entries),
        targets_(std::size_t{entries} * targets_per_entry),
        heads_(std::bit_ceil(std::size_t{entries} * 2), kNone) {
    for (std::uint32_t i = entries; i-- > 0;) push_free(i);
  }

  [[nodiscard]] bool empty() const { return busy_ == 0; }
  [[nodiscard]] bool full() const { return free_ == kNone; }

  /// The newest entry of the line, kNone if there is none.
  [[nodiscard]] std::uint32_t find(std::uint64_t line) const {
    if (busy_ == 0) return kNone;
    return same_line(heads_[bucket(line)], line);
  }
  /// The next older entry of the same line.
  [[nodiscard]] std::uint32_t find_next(std::uint32_t entry) const {
    return same_line(entries_[entry].next, entries_[entry].line);
  }
  [[nodiscard]] std::uint64_t line(std::uint32_t entry) const { return entries_[entry].line; }

  /// A free entry for `line`, with one target. The table must not be full.
  std::uint32_t allocate(std::uint64_t line, const Target& first) {
    const std::uint32_t entry = free_;
    Entry& e = entries_[entry];
    free_ = e.next;
    std::uint32_t& head = heads_[bucket(line)];
    e = {line, head, 0};
    head = entry;
    ++busy_;
    (void)add(entry, first);
    return entry;
  }
  [[nodiscard]] bool takes_target(std::uint32_t entry) const {
    return entries_[entry].targets != targets_per_entry_;
  }
  /// False if the entry has all the targets it can have.
  [[nodiscard]] bool add(std::uint32_t entry, const Target& target) {
    Entry& e = entries_[entry];
    if (!takes_target(entry)) return false;
    targets_[std::size_t{entry} * targets_per_entry_ + e.targets++] = target;
    return true;
  }
  /// Targets in the order in which they were added; valid until the entry is allocated again.
  [[nodiscard]] const Target* targets(std::uint32_t entry) const {
    return targets_.data() + std::size_t{entry} * targets_per_entry_;
  }
  [[nodiscard]] std::uint32_t target_count(std::uint32_t entry) const { return entries_[entry].targets; }

  void release(std::uint32_t entry) {
    std::uint32_t* link = &heads_[bucket(entries_[entry].line)];
    while (*link != entry) link = &entries_[*link].next;
    *link = entries_[entry].next;
    --busy_;
    push_free(entry);
  }

 private:
  struct Entry {
    std::uint64_t line = 0;
    std::uint32_t next = kNone;  ///< in its bucket, or in the free list
    std::uint32_t targets = 0;
  };
  void push_free(std::uint32_t entry) {
    entries_[entry].next = free_;
    free_ = entry;
  }
  [[nodiscard]] std::size_t bucket(std::uint64_t line) const {
    const std::uint64_t number = line >> line_shift_;
    return static_cast<std::size_t>(number ^ number >> 16) & (heads_.size() - 1);
  }
  [[nodiscard]] std::uint32_t same_line(std::uint32_t entry, std::uint64_t line) const {
    while (entry != kNone && entries_[entry].line != line) entry = entries_[entry].next;
    return entry;
  }

  std::uint32_t targets_per_entry_;
  std::uint32_t line_shift_;
  std::vector<Entry> entries_;
  std::vector<Target> targets_;
  std::vector<std::uint32_t> heads_;  ///< by hash of the line
  std::uint32_t free_ = kNone;
  std::uint32_t busy_ = 0;
};

}  // namespace heddle::cache
