#include "core/memory/bank_conflicts.h"

#include <algorithm>
#include <array>
#include <bit>

namespace heddle::core {
namespace {

constexpr unsigned kWordBytes = 4;
constexpr unsigned kMaxBanks = 32;
constexpr unsigned kMaxWords = kLanes * kMaxLaneBytes / kWordBytes;

constexpr unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

/// Calls fn(word) for every word of every lane, in lane order.
template <class Fn>
void for_each_word(const LaneOffsets& offsets, unsigned bytes, Fn&& fn) {
  const unsigned words = std::max(bytes / kWordBytes, 1u);
  offsets.lanes.for_each([&](unsigned lane) {
    const std::uint64_t first = offsets.offset(lane, bytes) / kWordBytes;
    for (unsigned w = 0; w < words; ++w) fn(first + w);
  });
}

unsigned atomic_passes(const LaneOffsets& offsets, unsigned bytes, std::uint32_t banks) {
  std::array<std::uint8_t, kMaxBanks> load{};
  unsigned passes = 1;
  for_each_word(offsets, bytes,
                [&](std::uint64_t word) { passes = std::max<unsigned>(passes, ++load[word % banks]); });
  return passes;
}

/// How often each bank is used.
class BankUse {
 public:
  /// Once more each of these; at most 255 times.
  void add(std::uint32_t banks) {
    for (unsigned b = 0; banks != 0; ++b) {
      const std::uint32_t carry = plane_[b] & banks;
      plane_[b] ^= banks;
      banks = carry;
    }
  }
  [[nodiscard]] unsigned most() const {
    std::uint32_t candidates = ~0u;
    unsigned most = 0;
    for (unsigned b = plane_.size(); b-- > 0;)
      if ((candidates & plane_[b]) != 0) {
        candidates &= plane_[b];
        most |= 1u << b;
      }
    return most;
  }

 private:
  std::array<std::uint32_t, 8> plane_{};  ///< bit b of bank i's counter in plane_[b] at position i
};

/// Distinct words, a bit mask of banks for each row of them (a row: words with the same word / banks).
class Rows {
 public:
  explicit Rows(std::uint32_t banks) : banks_(banks) {}
  void add(std::uint64_t word) { add_row(static_cast<std::uint32_t>(word / banks_), 1u << (word % banks_)); }
  /// Words first ... last.
  void add(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t word = first; word <= last;) {
      const auto bank = static_cast<std::uint32_t>(word % banks_);
      const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(last - word + 1, banks_ - bank));
      add_row(static_cast<std::uint32_t>(word / banks_), (~0u >> (kMaxBanks - count)) << bank);
      word += count;
    }
  }
  [[nodiscard]] unsigned words() const {
    unsigned count = 0;
    for (unsigned r = 0; r < count_; ++r) count += static_cast<unsigned>(std::popcount(banks_used_[r]));
    return count;
  }
  /// Rows that use the most-used bank.
  [[nodiscard]] unsigned most() const {
    if (count_ == 1) return 1;
    BankUse use;
    for (unsigned r = 0; r < count_; ++r) use.add(banks_used_[r]);
    return use.most();
  }

 private:
  void add_row(std::uint32_t row, std::uint32_t banks_of_row) {
    if (count_ == 0 || row_[last_] != row) {
      for (last_ = 0; last_ < count_ && row_[last_] != row; ++last_) continue;
      if (last_ == count_) {
        row_[count_] = row;
        banks_used_[count_++] = 0;
      }
    }
    banks_used_[last_] |= banks_of_row;
  }

  std::uint32_t banks_;
  unsigned count_ = 0;
  unsigned last_ = 0;
  std::array<std::uint32_t, kMaxWords> row_;
  std::array<std::uint32_t, kMaxWords> banks_used_;
};

constexpr unsigned kWideBytes = 16;

/// `words`: where the number of different words goes; nullptr: nowhere.
unsigned passes_of(const LaneOffsets& offsets, unsigned bytes, std::uint32_t banks,
                   unsigned* words = nullptr) {
  const auto in_a_row = [&](unsigned count) {
    if (words != nullptr) *words = count;
    return ceil_div(count, banks);
  };
  if (offsets.shape == Shape::kUniform) return in_a_row(std::max(bytes, kWordBytes) / kWordBytes);
  if (offsets.contiguous()) {
    const unsigned first = offsets.first / kWordBytes;
    const unsigned last = (offsets.first + offsets.lanes.count() * bytes - 1) / kWordBytes;
    return in_a_row(last - first + 1);
  }
  Rows rows(banks);
  if (offsets.shape == Shape::kRuns) {
    offsets.for_each_run(bytes, [&](const LaneOffsets& run) {
      const unsigned span = run.shape == Shape::kUniform ? bytes : run.lanes.count() * bytes;
      rows.add(run.first / kWordBytes, (run.first + span - 1) / kWordBytes);
    });
  } else {
    for_each_word(offsets, bytes, [&](std::uint64_t word) { rows.add(word); });
  }
  if (words != nullptr) *words = rows.words();
  return rows.most();
}

}  // namespace

BankPasses bank_passes(const MemoryInstruction& op, const SharedMemoryConfig& config) {
  const LaneOffsets offsets = op.shared_offsets();
  if (op.instruction->op == isa::Opcode::kAtomic) return {atomic_passes(offsets, op.bytes, config.banks), 1};
  if (op.bytes != kWideBytes || config.wide_lanes == 0)
    return {passes_of(offsets, op.bytes, config.banks), 1};
  BankPasses passes{0, 0};
  for (unsigned lane = 0; lane < kLanes; lane += config.wide_lanes) {
    const LaneOffsets set =
        offsets.within(LaneMask(LaneMask::first_lanes(config.wide_lanes).bits() << lane), kWideBytes);
    if (set.lanes.none()) continue;
    unsigned words = 0;
    passes.all += passes_of(set, kWideBytes, config.banks, &words);
    passes.without_conflict += ceil_div(words, config.banks);
  }
  return passes;
}

unsigned line_bank_passes(const MemoryInstruction& op, std::uint32_t line_bytes) {
  if (op.access_count <= 1) return op.access_count;
  BankUse use;
  const unsigned banks = std::min(line_bytes / kWordBytes, kMaxBanks);
  for (unsigned i = 0; i < op.access_count; ++i) {
    const LaneOffsets offsets = op.offsets(op.accesses[i]);
    const unsigned unit = op.unit(op.accesses[i]);
    std::uint32_t used = 0;
    const auto mark = [&](std::size_t first, std::size_t bytes) {
      for (std::size_t word = first / kWordBytes; word <= (first + bytes - 1) / kWordBytes; ++word)
        used |= 1u << word % banks;
    };
    if (offsets.contiguous())
      mark(offsets.first, std::size_t{offsets.lanes.count()} * unit);
    else
      offsets.lanes.for_each([&](unsigned lane) { mark(offsets.offset(lane, unit), unit); });
    use.add(used);
  }
  return use.most();
}

}  // namespace heddle::core
