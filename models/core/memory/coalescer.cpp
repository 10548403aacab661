#include "core/memory/coalescer.h"

#include <algorithm>
#include <array>
#include <bit>

namespace heddle::core {
namespace {

/// What all accesses of one call have in common.
struct Kind {
  std::uint64_t line_mask = 0;
  unsigned unit = 0;  ///< bytes per lane
  std::uint8_t part = 0;
  bool local = false;
};

void append(MemoryInstruction& op, const Kind& kind, std::uint64_t first, LaneMask lanes, Shape shape) {
  op.accesses[op.access_count++] = {first & ~kind.line_mask,
                                    lanes,
                                    shape,
                                    static_cast<std::uint8_t>(first & kind.line_mask),
                                    kind.part,
                                    kind.local};
}

/// Lane l, counted from the lowest of `lanes`, is at first + l * unit.
void coalesce_unit_stride(MemoryInstruction& op, const Kind& kind, std::uint64_t first, LaneMask lanes) {
  const unsigned shift = static_cast<unsigned>(std::countr_zero(kind.unit));
  while (true) {
    const unsigned lowest = lanes.lowest();
    const std::uint64_t in_line = (kind.line_mask + 1 - (first & kind.line_mask)) >> shift;
    const LaneMask rest =
        in_line >= kLanes - lowest
            ? LaneMask{}
            : LaneMask::difference(lanes, LaneMask::first_lanes(lowest + static_cast<unsigned>(in_line)));
    append(op, kind, first, LaneMask::difference(lanes, rest), Shape::kUnitStride);
    if (rest.none()) return;
    first += std::uint64_t{rest.lowest() - lowest} << shift;
    lanes = rest;
  }
}

/// Finds the access of a line among those of one call by hashing.
class LineTable {
 public:
  explicit LineTable(unsigned first_access) : first_(first_access) { slots_.fill(kEmpty); }

  /// The slot of `line`: occupied by its access, or empty.
  [[nodiscard]] std::uint8_t& slot(const MemoryInstruction& op, std::uint64_t line) {
    auto i = static_cast<std::size_t>(line * 0x9e3779b97f4a7c15u >> 58);
    while (slots_[i] != kEmpty && op.accesses[first_ + slots_[i]].line != line) i = (i + 1) % slots_.size();
    return slots_[i];
  }
  static constexpr std::uint8_t kEmpty = 0xff;

 private:
  unsigned first_;
  std::array<std::uint8_t, std::size_t{2} * kLanes> slots_;
};

/// Shapes are found on the way: each lane's distance from the access's lowest lane says which are still
/// possible.
void coalesce_scattered(MemoryInstruction& op, const Kind& kind, LaneMask lanes) {
  struct Group {
    std::uint64_t lowest_address = 0;
    unsigned lowest = 0;
    std::uint64_t from_uniform = 0;  // any lane off the pattern leaves a bit
    std::uint64_t from_unit = 0;
  };
  std::array<Group, kLanes> groups;
  const unsigned begin = op.access_count;
  LineTable table(begin);
  unsigned a = kLanes;
  lanes.for_each([&](unsigned lane) {
    const std::uint64_t address = op.address[lane];
    const std::uint64_t line = address & ~kind.line_mask;
    if (a == kLanes || op.accesses[begin + a].line != line) {
      std::uint8_t& slot = table.slot(op, line);
      if (slot == LineTable::kEmpty) {
        slot = static_cast<std::uint8_t>(op.access_count - begin);
        groups[slot] = {address, lane, 0, 0};
        append(op, kind, address, LaneMask{}, Shape::kScattered);
      }
      a = slot;
    }
    Group& group = groups[a];
    const std::uint64_t distance = address - group.lowest_address;
    group.from_uniform |= distance;
    group.from_unit |= distance ^ std::uint64_t{lane - group.lowest} * kind.unit;
    op.accesses[begin + a].lanes |= LaneMask(1u << lane);
  });
  for (unsigned i = begin; i < op.access_count; ++i) {
    const Group& group = groups[i - begin];
    op.accesses[i].shape = group.from_uniform == 0 ? Shape::kUniform
                           : group.from_unit == 0  ? Shape::kUnitStride
                                                   : Shape::kScattered;
    op.accesses[i].line += kind.part * kLocalRowBytes;
  }
}

/// Appends `lanes` of a run, or adds them to the access of their line if there is one since `begin`.
void add_run(MemoryInstruction& op, const Kind& kind, unsigned begin, std::uint64_t first, LaneMask lanes,
             Shape shape) {
  const std::uint64_t line = first & ~kind.line_mask;
  for (unsigned a = begin; a < op.access_count; ++a) {
    LineAccess& access = op.accesses[a];
    if (access.line != line) continue;
    access.lanes |= lanes;
    access.shape = Shape::kRuns;
    return;
  }
  append(op, kind, first, lanes, shape);
}

void coalesce_runs(MemoryInstruction& op, const Kind& kind) {
  const unsigned shift = static_cast<unsigned>(std::countr_zero(kind.unit));
  const unsigned begin = op.access_count;
  for (unsigned r = 0; r < op.runs.count; ++r) {
    const LaneRun& run = op.runs.run[r];
    if (run.uniform) {
      add_run(op, kind, begin, run.first, run.lanes, Shape::kUniform);
      continue;
    }
    std::uint64_t first = run.first;
    for (LaneMask rest = run.lanes; rest.any();) {
      const std::uint64_t in_line = (kind.line_mask + 1 - (first & kind.line_mask)) >> shift;
      const unsigned lowest = rest.lowest();
      const LaneMask here = rest & LaneMask::first_lanes(lowest + static_cast<unsigned>(in_line));
      add_run(op, kind, begin, first, here, Shape::kUnitStride);
      first += in_line << shift;
      rest = LaneMask::difference(rest, here);
    }
  }
}

}  // namespace

void coalesce(MemoryInstruction& op, const AddressPattern& pattern, LaneMask lanes, unsigned line_bytes) {
  const Kind kind{line_bytes - 1, op.bytes, 0, false};
  switch (pattern.shape) {
    case Shape::kUniform:
      append(op, kind, pattern.first, lanes, Shape::kUniform);
      break;
    case Shape::kUnitStride:
      coalesce_unit_stride(op, kind, pattern.first, lanes);
      break;
    case Shape::kScattered:
      coalesce_scattered(op, kind, lanes);
      break;
    case Shape::kRuns:
      coalesce_runs(op, kind);
      break;
  }
}

std::uint64_t local_address(std::uint64_t region, std::uint64_t offset, unsigned lane) {
  return region + offset / kLocalWordBytes * kLocalRowBytes + lane * std::uint64_t{kLocalWordBytes} +
         offset % kLocalWordBytes;
}

void coalesce_local(MemoryInstruction& op, const AddressPattern& pattern, LaneMask lanes,
                    std::uint64_t region, unsigned line_bytes) {
  const unsigned words = std::max(op.bytes / kLocalWordBytes, 1u);
  Kind kind{line_bytes - 1, std::min<unsigned>(op.bytes, kLocalWordBytes), 0, true};
  const auto address = [region](std::uint64_t offset, unsigned lane) {
    return local_address(region, offset, lane);
  };
  // The usual case: all lanes use the same variable. Less than a word would leave gaps between the lanes.
  const bool rows = pattern.shape == Shape::kUniform && kind.unit == kLocalWordBytes;
  if (!rows)
    lanes.for_each([&](unsigned lane) {
      const std::uint64_t offset = pattern.shape == Shape::kScattered ? op.address[lane]
                                   : pattern.shape == Shape::kUnitStride
                                       ? pattern.first + std::uint64_t{lane - lanes.lowest()} * op.bytes
                                       : pattern.first;
      op.address[lane] = address(offset, lane);
    });
  for (unsigned w = 0; w < words; ++w) {
    kind.part = static_cast<std::uint8_t>(w);
    if (rows)
      coalesce_unit_stride(op, kind, address(pattern.first, lanes.lowest()) + w * kLocalRowBytes, lanes);
    else
      coalesce_scattered(op, kind, lanes);
  }
}

}  // namespace heddle::core
