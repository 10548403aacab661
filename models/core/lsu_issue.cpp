// What the load/store unit does with an instruction when it issues: addresses, their checks, the accesses
// they need, and the operands of stores and atomics.
#include "core/coalescer.h"
#include "core/load_store_unit.h"
#include "core/register_transfer.h"

namespace heddle::core {

using isa::CacheOp;
using isa::StateSpace;

const std::byte* LoadStoreUnit::row_of(const MemoryOp& op, const isa::Operand& operand) const {
  switch (operand.space) {
    case isa::RowSpace::kRegister:
      return op.registers + operand.offset;
    case isa::RowSpace::kConstant:
      return launch_->kernel->constants.data() + operand.offset;
    case isa::RowSpace::kSpecial:
      return op.warp->special.data() + operand.offset;
  }
  return op.registers;
}

bool LoadStoreUnit::bypasses_l1(const isa::Instruction& instruction) const {
  if (!config_.l1d.enabled) return true;
  switch (instruction.cache_op) {
    case CacheOp::kVolatile:  // .cv, and everything stronger than weak
    case CacheOp::kCacheGlobal:
      return true;
    case CacheOp::kCacheAll:
    case CacheOp::kNonCoherent:
      return false;
    default:
      return !config_.l1d.cache_global_loads;
  }
}

void LoadStoreUnit::resolve_addresses(MemoryOp& op, const AccessSite& site) {
  const isa::Instruction& instruction = *op.instruction;
  const isa::Operand& base = instruction.memory.base;
  const auto displacement = static_cast<std::uint64_t>(instruction.memory.displacement);
  const std::byte* row = row_of(op, base);
  AddressPattern pattern = recognise(row, base, displacement, op.mask, op.bytes);
  if (pattern.shape == Shape::kScattered) expand(row, base, displacement, op.address.data());
  op.bypass_l1 = bypasses_l1(instruction);
  switch (instruction.space) {
    case StateSpace::kShared:
      resolve_shared(op, site, pattern, op.mask);
      break;
    case StateSpace::kLocal:
      resolve_local(op, site, pattern, op.mask);
      break;
    case StateSpace::kGeneric: {
      LaneMask device;
      LaneMask local;
      split_generic(op, pattern, device, local);
      const LaneMask shared = LaneMask::difference(op.mask, device | local);
      if (shared.any()) resolve_shared(op, site, pattern, shared);
      if (device.any()) resolve_device(op, site, pattern, device);
      if (local.any()) resolve_local(op, site, pattern, local);
      break;
    }
    default:
      resolve_device(op, site, pattern, op.mask);
      break;
  }
}

void LoadStoreUnit::split_generic(MemoryOp& op, AddressPattern& pattern, LaneMask& device, LaneMask& local) {
  const auto in_shared = [](std::uint64_t at) {
    return at - isa::kSharedWindowBase < isa::kSharedWindowBytes;
  };
  const auto in_local = [](std::uint64_t at) { return at - isa::kLocalWindowBase < isa::kLocalWindowBytes; };
  if (pattern.shape != Shape::kScattered && pattern.first <= pattern.last &&
      in_shared(pattern.first) == in_shared(pattern.last) &&
      in_local(pattern.first) == in_local(pattern.last)) {
    // The windows are longer than any pattern: both ends in (outside) one means all lanes in (outside) it.
    std::uint64_t base = 0;
    if (in_shared(pattern.first)) {
      base = isa::kSharedWindowBase;
    } else if (in_local(pattern.first)) {
      base = isa::kLocalWindowBase;
      local = op.mask;
    } else {
      device = op.mask;
    }
    pattern.first -= base;
    pattern.last -= base;
    return;
  }
  if (pattern.shape != Shape::kScattered) {
    expand(row_of(op, op.instruction->memory.base), op.instruction->memory.base,
           static_cast<std::uint64_t>(op.instruction->memory.displacement), op.address.data());
    pattern.shape = Shape::kScattered;
  }
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

namespace {

/// The pattern's ends for those lanes of an instruction that a scattered pattern belongs to.
AddressPattern narrowed(const MemoryOp& op, AddressPattern pattern, LaneMask lanes) {
  if (pattern.shape == Shape::kScattered) pattern.first = pattern.last = op.address[lanes.lowest()];
  return pattern;
}

}  // namespace

void LoadStoreUnit::resolve_shared(MemoryOp& op, const AccessSite& site, const AddressPattern& pattern,
                                   LaneMask lanes) {
  const AddressPattern here = narrowed(op, pattern, lanes);
  check_access(site, StateSpace::kShared, here, op.address, lanes, op.bytes, launch_->shared_bytes_per_cta,
               nullptr);
  const std::uint32_t base = site.cta->shared_base;
  if (here.shape == Shape::kScattered) lanes.for_each([&](unsigned lane) { op.address[lane] += base; });
  op.shared_lanes = lanes;
  op.shared_shape = here.shape;
  op.shared_first = static_cast<std::uint32_t>(here.first) + base;
}

void LoadStoreUnit::resolve_device(MemoryOp& op, const AccessSite& site, const AddressPattern& pattern,
                                   LaneMask lanes) {
  const AddressPattern here = narrowed(op, pattern, lanes);
  check_access(site, StateSpace::kGlobal, here, op.address, lanes, op.bytes, 0, &allocations_);
  coalesce(op, here, lanes, config_.l1d.line_bytes);
}

void LoadStoreUnit::resolve_local(MemoryOp& op, const AccessSite& site, const AddressPattern& pattern,
                                  LaneMask lanes) {
  const AddressPattern here = narrowed(op, pattern, lanes);
  check_access(site, StateSpace::kLocal, here, op.address, lanes, op.bytes, launch_->local_bytes_per_thread,
               nullptr);
  const std::uint64_t region =
      launch_->local_base + op.warp->linear_warp * launch_->local_bytes_per_thread * kLanes;
  coalesce_local(op, here, lanes, region, config_.l1d.line_bytes);
}

void LoadStoreUnit::read_operands(MemoryOp& op) {
  const isa::Instruction& instruction = *op.instruction;
  if (instruction.op == isa::Opcode::kStore) {
    const std::byte* rows[4] = {};
    for (unsigned e = 0; e < instruction.vector; ++e) rows[e] = row_of(op, instruction.src[e]);
    capture_store(instruction, rows, op.data.data());
    return;
  }
  const bool cas = instruction.atomic_op == isa::AtomicOp::kCas;
  const isa::Operand& value = instruction.src[cas ? 1 : 0];
  const isa::Operand& compare = instruction.src[0];
  const std::byte* value_row = row_of(op, value);
  const std::byte* compare_row = row_of(op, compare);
  op.mask.for_each([&](unsigned lane) {
    op.operand[lane] = lane_value(value_row, value.width, lane);
    op.compare[lane] = cas ? lane_value(compare_row, compare.width, lane) : 0;
  });
}

}  // namespace heddle::core
