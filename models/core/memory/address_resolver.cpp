#include "core/memory/address_resolver.h"

#include <algorithm>
#include <cstring>

#include "core/memory/coalescer.h"
#include "core/memory/register_transfer.h"
#include "isa/async_copy.h"

namespace heddle::core {

using isa::StateSpace;

void AddressResolver::resolve(MemoryInstruction& op, const AccessContext& context) {
  const isa::Instruction& instruction = *op.instruction;
  const auto displacement = static_cast<std::uint64_t>(instruction.memory.displacement);
  const auto [row, base] = base_of(op);
  AddressPattern pattern = recognise(row, base, displacement, op.mask, op.bytes, op.runs);
  if (pattern.shape == Shape::kScattered) expand(row, base, displacement, op.address.data());
  switch (instruction.space) {
    case StateSpace::kShared:
      resolve_shared(op, context, pattern, op.mask);
      break;
    case StateSpace::kLocal:
      resolve_local(op, context, pattern, op.mask);
      break;
    case StateSpace::kGeneric: {
      LaneMask device;
      LaneMask local;
      split_generic(op, pattern, device, local);
      const LaneMask shared = LaneMask::difference(op.mask, device | local);
      if (shared.any()) resolve_shared(op, context, pattern, shared);
      if (device.any()) resolve_device(op, context, pattern, device);
      if (local.any()) resolve_local(op, context, pattern, local);
      break;
    }
    default:
      resolve_device(op, context, pattern, op.mask);
      break;
  }
}

AddressResolver::Base AddressResolver::compose(const MemoryInstruction& op) {
  const isa::MemoryOperand& memory = op.instruction->memory;
  std::array<std::uint64_t, kLanes> sums{};
  const auto add = [&](const isa::Operand& operand, unsigned shift, unsigned scratch) {
    if (!operand.present) return;
    const std::byte* const row = row_of(op, operand, scratch);
    if (operand.width == isa::RowWidth::k64) {
      std::array<std::uint64_t, kLanes> values;
      std::memcpy(values.data(), row, sizeof values);
      for (unsigned lane = 0; lane < kLanes; ++lane) sums[lane] += values[lane];
    } else {
      std::array<std::uint32_t, kLanes> values;
      std::memcpy(values.data(), row, sizeof values);
      for (unsigned lane = 0; lane < kLanes; ++lane) sums[lane] += std::uint64_t{values[lane]} << shift;
    }
  };
  constexpr unsigned kWord = 32;
  add(memory.base, memory.base_shift, 0);
  add(memory.high, kWord, 1);
  add(memory.second, 0, 2);
  add(memory.second_high, kWord, 3);
  isa::Operand base = memory.base;
  if (memory.wide()) {
    base.width = isa::RowWidth::k64;
    std::memcpy(composed_.data(), sums.data(), sizeof sums);
  } else {
    std::array<std::uint32_t, kLanes> words;
    for (unsigned lane = 0; lane < kLanes; ++lane) words[lane] = static_cast<std::uint32_t>(sums[lane]);
    std::memcpy(composed_.data(), words.data(), sizeof words);
  }
  return {composed_.data(), base};
}

namespace {

bool in_shared(std::uint64_t at) { return at - isa::kSharedWindowBase < isa::kSharedWindowBytes; }
bool in_local(std::uint64_t at) { return at - isa::kLocalWindowBase < isa::kLocalWindowBytes; }

/// The window that addresses first ... last are in; 0: in none. The windows are longer than any pattern, so
/// if both ends are in one (in none), all between are. kMixed: some are in one window and some are not.
constexpr std::uint64_t kMixed = ~std::uint64_t{0};
std::uint64_t window_of(std::uint64_t first, std::uint64_t last) {
  if (first > last || in_shared(first) != in_shared(last) || in_local(first) != in_local(last)) return kMixed;
  return in_shared(first) ? isa::kSharedWindowBase : in_local(first) ? isa::kLocalWindowBase : 0;
}

std::uint64_t window_of(const AddressPattern& pattern, const LaneRuns& runs, unsigned unit) {
  if (pattern.shape == Shape::kScattered) return kMixed;
  if (pattern.shape != Shape::kRuns) return window_of(pattern.first, pattern.last);
  std::uint64_t window = kMixed;
  for (unsigned r = 0; r < runs.count; ++r) {
    const LaneRun& run = runs.run[r];
    const std::uint64_t here = window_of(run.first, run.address(highest_lane(run.lanes), unit));
    if (here == kMixed || (r != 0 && here != window)) return kMixed;
    window = here;
  }
  return window;
}

}  // namespace

void AddressResolver::split_generic(MemoryInstruction& op, AddressPattern& pattern, LaneMask& device,
                                    LaneMask& local) {
  const std::uint64_t window = window_of(pattern, op.runs, op.bytes);
  if (window != kMixed) {
    if (window == 0) device = op.mask;
    if (window == isa::kLocalWindowBase) local = op.mask;
    pattern.first -= window;
    pattern.last -= window;
    if (pattern.shape == Shape::kRuns)
      for (unsigned r = 0; r < op.runs.count; ++r) op.runs.run[r].first -= window;
    return;
  }
  scatter(op, pattern);
  op.mask.for_each([&](unsigned lane) {
    std::uint64_t& at = op.address[lane];
    if (in_shared(at)) {
      at -= isa::kSharedWindowBase;
    } else if (in_local(at)) {
      local |= LaneMask(1u << lane);
      at -= isa::kLocalWindowBase;
    } else {
      device |= LaneMask(1u << lane);
    }
  });
}

void AddressResolver::scatter(MemoryInstruction& op, AddressPattern& pattern) {
  if (pattern.shape == Shape::kScattered) return;
  const LaneOffsets offsets{op.mask, pattern.shape, 0, 0, nullptr, &op.runs};
  const std::uint64_t first = pattern.shape == Shape::kRuns ? 0 : pattern.first;
  op.mask.for_each([&](unsigned lane) { op.address[lane] = first + offsets.offset(lane, op.bytes); });
  pattern.shape = Shape::kScattered;
}

namespace {

bool of_one_cta(const MemoryInstruction& op) {
  const auto slices = op.all_slices();
  return std::all_of(slices.begin(), slices.end(),
                     [&](const MemorySlice& slice) { return slice.cta == slices.front().cta; });
}

}  // namespace

void AddressResolver::resolve_shared(MemoryInstruction& op, const AccessContext& context,
                                     AddressPattern& pattern, LaneMask lanes) {
  check_access(context, StateSpace::kShared, op, pattern, lanes, launch_->shared_bytes_per_cta, nullptr);
  std::uint32_t base = context.cta->shared_base;
  if (op.slice_count != 1 && !of_one_cta(op)) [[unlikely]] {
    scatter(op, pattern);
    lanes.for_each([&](unsigned lane) { op.address[lane] += op.slice(lane).cta->shared_base; });
    base = 0;
  } else if (pattern.shape == Shape::kScattered) {
    lanes.for_each([&](unsigned lane) { op.address[lane] += base; });
  }
  if (pattern.shape == Shape::kRuns)
    for (unsigned r = 0; r < op.runs.count; ++r) op.runs.run[r].first += base;
  op.shared_lanes = lanes;
  op.shared_shape = pattern.shape;
  op.shared_first = static_cast<std::uint32_t>(pattern.first) + base;
}

void AddressResolver::resolve_device(MemoryInstruction& op, const AccessContext& context,
                                     const AddressPattern& pattern, LaneMask lanes) {
  check_access(context, StateSpace::kGlobal, op, pattern, lanes, 0, &allocations_);
  coalesce(op, pattern, lanes, line_bytes_);
}

void AddressResolver::resolve_local(MemoryInstruction& op, const AccessContext& context,
                                    AddressPattern pattern, LaneMask lanes) {
  check_access(context, StateSpace::kLocal, op, pattern, lanes, launch_->local_limit, nullptr);
  if (pattern.shape == Shape::kRuns) scatter(op, pattern);
  const auto region = [this](const MemorySlice& slice) {
    return launch_->local_base + slice.linear_warp * launch_->local_bytes_per_thread * kLanes;
  };
  if (op.slice_count == 1) {
    coalesce_local(op, pattern, lanes, region(op.slices[0]), line_bytes_);
    return;
  }
  // Regions of different warps have no line in common.
  for (const MemorySlice& slice : op.all_slices()) {
    const LaneMask here = lanes & slice.lanes;
    if (here.none()) continue;
    AddressPattern part = pattern;
    if (part.shape == Shape::kUnitStride)
      part.first += (here.lowest() - lanes.lowest()) * std::uint64_t{op.bytes};
    coalesce_local(op, part, here, region(slice), line_bytes_);
  }
}

void AddressResolver::resolve_copy(MemoryInstruction& op, const AccessContext& context) {
  const isa::Instruction& instruction = *op.instruction;
  const auto offset_row = row_of(op, instruction.src[0], 0);
  const isa::Operand& size = instruction.src[1];
  const std::byte* const size_row = size.present ? row_of(op, size, 1) : nullptr;
  const bool condition = size.present && size.width == isa::RowWidth::kPredicate;
  const auto size_of = [&](unsigned lane) -> std::uint64_t {
    if (!size.present) return op.bytes;
    if (!condition) return lane_value(size_row, size.width, lane);
    return (lane_value(size_row, isa::RowWidth::k32, 0) >> lane & 1) != (size.negated ? 1u : 0u) ? 1 : 0;
  };
  const auto displacement = static_cast<std::uint64_t>(instruction.memory.displacement);
  std::array<std::uint64_t, kLanes> from{};
  if (isa::size_is_in_address(instruction)) [[unlikely]] {
    const auto [row, base] = base_of(op);
    expand(row, base, displacement, from.data());
  }
  std::fill_n(op.data.begin(), std::size_t{kLanes} * op.bytes, static_cast<unsigned char>(0));
  LaneMask whole;
  LaneMask part;
  op.mask.for_each([&](unsigned lane) {
    const std::uint64_t at = lane_value(offset_row, instruction.src[0].width, lane) + instruction.immediate;
    op.address[lane] = at & 0xffff'ffffu;
    op.compare[lane] = isa::copy_source(instruction, from[lane], size_of(lane)).bytes;
    if (op.compare[lane] != 0) (op.compare[lane] == op.bytes ? whole : part) |= LaneMask(1u << lane);
  });
  const AddressPattern scattered{.shape = Shape::kScattered};
  check_access(context, StateSpace::kShared, op, scattered, op.mask, launch_->shared_bytes_per_cta, nullptr);
  op.mask.for_each([&](unsigned lane) {
    const CtaContext* const cta = op.slice(lane).cta != nullptr ? op.slice(lane).cta : context.cta;
    op.operand[lane] = op.address[lane] + cta->shared_base;
  });
  op.mask = whole | part;
  if (op.mask.none()) return;
  const auto [row, base] = base_of(op);
  AddressPattern pattern = recognise(row, base, displacement, op.mask, op.bytes, op.runs);
  if (pattern.shape == Shape::kScattered) expand(row, base, displacement, op.address.data());
  if (isa::size_is_in_address(instruction)) [[unlikely]] {
    scatter(op, pattern);
    op.mask.for_each([&](unsigned lane) {
      op.address[lane] = isa::copy_source(instruction, op.address[lane], 1).address;
    });
  }
  if (part.none()) return resolve_device(op, context, pattern, op.mask);
  // Of a lane that reads less, only what it reads must be there.
  scatter(op, pattern);
  if (whole.any()) check_access(context, StateSpace::kGlobal, op, pattern, whole, 0, &allocations_);
  part.for_each([&](unsigned lane) {
    const bool there = allocations_.allows(host::Access::kKernelRead, op.address[lane], op.compare[lane]);
    if (!there || op.address[lane] % op.bytes != 0)
      check_access(context, StateSpace::kGlobal, op, pattern, LaneMask(1u << lane), 0, &allocations_);
  });
  coalesce(op, pattern, op.mask, line_bytes_);
}

void AddressResolver::resolve_constant(MemoryInstruction& op, const AccessContext& context) {
  const isa::Instruction& instruction = *op.instruction;
  const bool param = instruction.space == StateSpace::kParam;
  const auto displacement = static_cast<std::uint64_t>(instruction.memory.displacement);
  const auto [row, base] = base_of(op);
  AddressPattern pattern = recognise(row, base, displacement, op.mask, op.bytes, op.runs);
  if (pattern.shape != Shape::kUniform) {
    expand(row, base, displacement, op.address.data());
    pattern.shape = Shape::kScattered;
  }
  check_access(context, instruction.space, op, pattern, op.mask, param ? launch_->params.size() : 0,
               param ? nullptr : &allocations_);
  if (param) {
    pattern.first += launch_->param_base;
    if (pattern.shape == Shape::kScattered)
      op.mask.for_each([&](unsigned lane) { op.address[lane] += launch_->param_base; });
  }
  // Lanes share an access if they want the same word, or the same wider element.
  coalesce(op, pattern, op.mask, std::max<unsigned>(op.bytes, 4));
}

void AddressResolver::read_operands(MemoryInstruction& op) {
  const isa::Instruction& instruction = *op.instruction;
  if (instruction.op == isa::Opcode::kStore) {
    const std::byte* rows[kMaxOperandRows] = {};
    for (unsigned e = 0; e < instruction.vector; ++e) rows[e] = row_of(op, instruction.src[e], e);
    capture_store(instruction, rows, op.data.data());
    return;
  }
  // Machine code asks whether a generic atomic was done.
  if (const isa::Operand& done = instruction.dst[2]; done.present) [[unlikely]]
    op.for_each_slice([&](const MemorySlice& slice) {
      std::uint32_t lanes = 0;
      std::memcpy(&lanes, slice.registers + done.offset, sizeof lanes);
      lanes |= slice.lanes.bits();
      std::memcpy(slice.registers + done.offset, &lanes, sizeof lanes);
    });
  const bool cas = isa::compares(instruction.atomic_op);
  const isa::Operand& value = instruction.src[cas ? 1 : 0];
  const isa::Operand& compare = instruction.src[0];
  const std::byte* value_row = row_of(op, value, 0);
  const std::byte* compare_row = cas ? row_of(op, compare, 1) : nullptr;
  op.mask.for_each([&](unsigned lane) {
    op.operand[lane] = lane_value(value_row, value.width, lane);
    op.compare[lane] = cas ? lane_value(compare_row, compare.width, lane) : 0;
  });
  if (!instruction.has_operand_pairs()) return;
  const auto add_high = [&](const isa::Operand& high, unsigned scratch, auto& words) {
    if (!high.present) return;
    const std::byte* const row = row_of(op, high, scratch);
    op.mask.for_each([&](unsigned lane) { words[lane] |= lane_value(row, high.width, lane) << 32; });
  };
  add_high(instruction.high_of(cas ? 1 : 0), 2, op.operand);
  add_high(instruction.high_of(0), 3, op.compare);
}

}  // namespace heddle::core
