#include "core/execute/lane_execution.h"

#include <array>
#include <cstring>

#include "core/state/operand_rows.h"

namespace heddle::core {
namespace {

/// What the lanes of a meeting bring with them, or take away.
struct StagedRow {
  alignas(64) std::array<std::byte, sizeof(std::uint64_t) * kLanes> bytes{};

  [[nodiscard]] std::uint32_t word() const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  void set_word(std::uint32_t value) { std::memcpy(bytes.data(), &value, sizeof value); }
};

void copy_lanes(std::byte* to, const std::byte* from, const isa::Operand& operand, LaneMask lanes) {
  const std::size_t size = operand.width == isa::RowWidth::k64 ? 8 : 4;
  lanes.for_each([&](unsigned lane) { std::memcpy(to + lane * size, from + lane * size, size); });
}

void gather(StagedRow& row, const std::byte* from, const isa::Operand& operand, LaneMask lanes) {
  if (operand.width != isa::RowWidth::kPredicate) return copy_lanes(row.bytes.data(), from, operand, lanes);
  std::uint32_t values = 0;
  std::memcpy(&values, from, sizeof values);
  if (operand.negated) values = ~values;
  row.set_word(row.word() | (values & lanes.bits()));
}

void scatter(const StagedRow& row, std::byte* to, const isa::Operand& operand, LaneMask lanes) {
  if (operand.width != isa::RowWidth::kPredicate) return copy_lanes(to, row.bytes.data(), operand, lanes);
  set_predicates(to, lanes, row.word());
}

}  // namespace

void exchange_lanes(WarpContext& warp, const std::byte* constants, const isa::Instruction* code,
                    std::span<const WarpSync::Place> places, Cycle clock) {
  std::array<StagedRow, isa::kMaxSources> sources;
  std::array<StagedRow, isa::kMaxDestinations> results;
  isa::LaneArgs args;
  for (const WarpSync::Place& place : places) {
    const isa::Instruction& instruction = code[place.pc.value()];
    args.mask |= place.lanes.bits();
    for (unsigned i = 0; i < instruction.source_count; ++i)
      gather(sources[i], row_of(constants, warp, instruction.src[i]), instruction.src[i], place.lanes);
  }
  for (unsigned i = 0; i < sources.size(); ++i) args.src[i] = sources[i].bytes.data();
  for (unsigned i = 0; i < results.size(); ++i) args.dst[i] = results[i].bytes.data();
  args.cycle = clock;
  const isa::Instruction& first = code[places.front().pc.value()];
  args.immediate = first.immediate;
  // Lanes that meet name the same members, so it does not matter whether this one's function reads the masks.
  first.lane_fn(args);
  for (const WarpSync::Place& place : places) {
    const isa::Instruction& instruction = code[place.pc.value()];
    for (unsigned i = 0; i < results.size(); ++i)
      if (instruction.dst[i].present)
        scatter(results[i], warp.registers.data() + instruction.dst[i].offset, instruction.dst[i],
                place.lanes);
  }
}

}  // namespace heddle::core
