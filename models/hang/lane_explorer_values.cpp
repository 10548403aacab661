// Arithmetic of the exploration: every combination of possible operands is passed to the instruction's own
// lane function, 32 at a time.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "hang/lane_explorer.h"

namespace heddle::hang {
namespace {

using isa::Instruction;
using isa::Operand;
using isa::RowWidth;

constexpr unsigned kSources = isa::kMaxSources;
constexpr unsigned kResults = isa::kMaxDestinations;

/// A row of 32 lanes of any width.
struct alignas(64) Row {
  std::array<std::byte, std::size_t{kLanes} * 8> bytes;

  void set(RowWidth width, unsigned lane, std::uint64_t value) {
    if (width == RowWidth::k64) {
      std::memcpy(bytes.data() + lane * sizeof value, &value, sizeof value);
    } else if (width == RowWidth::k32) {
      const auto word = static_cast<std::uint32_t>(value);
      std::memcpy(bytes.data() + lane * sizeof word, &word, sizeof word);
    } else {
      std::uint32_t lanes = 0;
      std::memcpy(&lanes, bytes.data(), sizeof lanes);
      lanes = (lanes & ~(1u << lane)) | (static_cast<std::uint32_t>(value & 1u) << lane);
      std::memcpy(bytes.data(), &lanes, sizeof lanes);
    }
  }
  [[nodiscard]] std::uint64_t get(RowWidth width, unsigned lane) const {
    std::uint64_t value = 0;
    std::uint32_t word = 0;
    switch (width) {
      case RowWidth::k64:
        std::memcpy(&value, bytes.data() + lane * sizeof value, sizeof value);
        return value;
      case RowWidth::k32:
        std::memcpy(&word, bytes.data() + lane * sizeof word, sizeof word);
        return word;
      case RowWidth::kPredicate:
        std::memcpy(&word, bytes.data(), sizeof word);
        return word >> lane & 1u;
    }
    return value;
  }
};

/// The row of an operand that goes through its values, combination by combination.
struct OperandRow : Row {
  /// The first value in as many combinations as `repetitions` says, then the next, and so on, again and again.
  void begin(std::span<const std::uint64_t> values, RowWidth row_width, std::size_t repetitions) {
    values_ = values, width_ = row_width, repetitions_ = left_ = repetitions, at_ = 0;
    if (values.size() == 1)
      for (unsigned lane = 0; lane < kLanes; ++lane) set(row_width, lane, values.front());
  }
  /// The next `lanes` combinations.
  void fill(unsigned lanes) {
    if (values_.size() == 1) return;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      set(width_, lane, values_[at_]);
      if (--left_ > 0) continue;
      left_ = repetitions_;
      if (++at_ == values_.size()) at_ = 0;
    }
  }

 private:
  std::span<const std::uint64_t> values_;
  RowWidth width_ = RowWidth::k32;
  std::size_t repetitions_ = 1, left_ = 1, at_ = 0;
};

}  // namespace

Values LaneExplorer::special(const WarpState& warp, unsigned lane, const Operand& operand) const {
  const std::byte* const rows = operand.space == isa::RowSpace::kConstant ? constants_ : warp.special;
  return row_of_lane(values_, rows + operand.offset, operand.width, lane);
}

void LaneExplorer::forget_results(const Instruction& instruction, Registers& registers) {
  for (const Operand& dst : instruction.dst)
    if (dst.present) registers[dst.reg] = kAnyValue;
}

void LaneExplorer::compute(Run& run, const Instruction& instruction, bool may_skip, Registers& registers) {
  if (instruction.cross_lane || instruction.time_dependent || instruction.op == isa::Opcode::kTimer)
    return forget_results(instruction, registers);
  std::array<Values, kSources> source{};
  std::size_t combinations = 1;
  for (unsigned i = 0; i < kSources; ++i) {
    if (!instruction.src[i].present) continue;
    source[i] = run.accesses.read(instruction.src[i], registers);
    if (source[i] == kAnyValue && instruction.src[i].width == RowWidth::kPredicate)
      source[i] = values_.set({0, 1});
    if (source[i] == kAnyValue) return forget_results(instruction, registers);
    combinations *= values_.size(source[i]);
    if (combinations > ValueTable::kMostCombinations) return forget_results(instruction, registers);
  }
  std::array<OperandRow, kSources> in;
  std::array<Row, kResults> out;
  isa::LaneArgs args;
  args.immediate = instruction.immediate;
  unsigned sources = 0;
  std::size_t repetitions = 1;
  for (unsigned i = 0; i < kSources; ++i) {
    const Operand& operand = instruction.src[i];
    if (!operand.present) continue;
    in[sources].begin(values_.of(source[i]), operand.width, repetitions);
    repetitions *= values_.size(source[i]);
    args.src[i] = in[sources++].bytes.data();
    if (operand.negated) args.negated = static_cast<std::uint8_t>(args.negated | (1u << i));
  }
  for (unsigned i = 0; i < kResults; ++i)
    if (instruction.dst[i].present) args.dst[i] = out[i].bytes.data();

  std::array<std::vector<std::uint64_t>, kResults> results;
  for (unsigned i = 0; i < kResults; ++i)
    if (instruction.dst[i].present) results[i].reserve(combinations);
  for (std::size_t first = 0; first < combinations; first += kLanes) {
    const auto lanes = static_cast<unsigned>(std::min<std::size_t>(kLanes, combinations - first));
    for (unsigned i = 0; i < sources; ++i) in[i].fill(lanes);
    args.mask = LaneMask::first_lanes(lanes).bits();
    instruction.lane_fn(args);
    for (unsigned i = 0; i < kResults; ++i)
      for (unsigned lane = 0; lane < lanes && instruction.dst[i].present; ++lane)
        results[i].push_back(out[i].get(instruction.dst[i].width, lane));
  }
  for (unsigned i = 0; i < kResults; ++i)
    if (instruction.dst[i].present)
      run.accesses.write(instruction.dst[i], values_.set(std::move(results[i])), may_skip, registers);
}

}  // namespace heddle::hang
