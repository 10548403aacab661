#include "oracle/machine_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "oracle/bits.h"
#include "oracle/half.h"
#include "oracle/narrow.h"

namespace heddle::oracle {

static_assert(std::endian::native == std::endian::little, "device memory is little-endian");

namespace mimd {

std::byte* Accesses::local_bytes(const Thread& thread, std::uint64_t offset, std::uint64_t bytes) const {
  const std::uint64_t low = program_.functions[0].frame_bytes;
  if (offset <= low && bytes <= low - offset) return thread.local + offset;
  if (offset < low || offset > thread.top || bytes > thread.top - offset) return nullptr;
  return thread.upper->data() + (offset - low);
}

const std::byte* Accesses::byte_at(const Cta& cta, const Thread& thread, std::uint64_t address) const {
  if (const std::uint64_t offset = address - isa::kSharedWindowBase; offset < isa::kSharedWindowBytes)
    return offset < cta.shared.size() ? cta.shared.data() + offset : nullptr;
  if (const std::uint64_t offset = address - isa::kLocalWindowBase; offset < isa::kLocalWindowBytes)
    return local_bytes(thread, offset, 1);
  return allocations_.allows(host::Access::kKernelRead, address, 1) ? memory_.at(address) : nullptr;
}

Accesses::Location Accesses::location(const Thread& thread, const Step& step) const {
  std::uint64_t address = static_cast<std::uint64_t>(step.displacement);
  if (step.base >= 0) address += thread.regs[step.base];
  if (step.in_frame) address += thread.base;
  if (step.element >= 0)
    address += operands_.distance(thread, program_.elements[static_cast<std::size_t>(step.element)]);
  if (step.narrow_address) address &= low_bits(32);
  StateSpace space = step.space;
  std::uint64_t offset = address;
  // A device function's parameters are on its stack, and so is what their addresses point to.
  if (space == StateSpace::kParam && !thread.frames.empty()) space = StateSpace::kLocal;
  if (space == StateSpace::kGeneric) {
    space = StateSpace::kGlobal;
    if (address - isa::kSharedWindowBase < isa::kSharedWindowBytes) {
      space = StateSpace::kShared;
      offset = address - isa::kSharedWindowBase;
    } else if (address - isa::kLocalWindowBase < isa::kLocalWindowBytes) {
      space = StateSpace::kLocal;
      offset = address - isa::kLocalWindowBase;
    } else if (address - kParamWindowBase < kParamWindowBytes) {
      space = StateSpace::kParam;
      offset = address - kParamWindowBase;
    }
  }
  return {address, space, offset};
}

std::byte* Accesses::locate(Cta& cta, Thread& thread, const Step& step, unsigned bytes) {
  const auto [address, space, offset] = location(thread, step);
  const auto text = [&, at = address](std::string_view problem) {
    return fmt::format("{} of {} bytes at {:#x} {}",
                       step.kind == Kind::kLoad    ? "load"
                       : step.kind == Kind::kStore ? "store"
                                                   : "atomic",
                       bytes, at, problem);
  };
  if (address % bytes != 0) operands_.fault(cta, thread, step, text("is misaligned"));
  const auto within = [&, at = offset](std::byte* begin, std::uint64_t size, std::string_view what) {
    if (at > size || bytes > size - at)
      operands_.fault(cta, thread, step, text(fmt::format("is outside the {} bytes of {}", size, what)));
    return begin + at;
  };
  switch (space) {
    case StateSpace::kShared:
      return within(cta.shared.data(), cta.shared.size(), "shared memory of the CTA");
    case StateSpace::kLocal:
      if (std::byte* at = local_bytes(thread, offset, bytes)) return at;
      operands_.fault(cta, thread, step,
                      text(fmt::format("is outside the {} bytes of local memory of the thread", thread.top)));
    case StateSpace::kParam:
      if (step.kind != Kind::kLoad) operands_.fault(cta, thread, step, text("writes a kernel's parameters"));
      return within(params_.data(), params_.size(), "the kernel's parameters");
    default:
      break;
  }
  const host::Access access =
      step.kind == Kind::kLoad ? host::Access::kKernelRead : host::Access::kKernelWrite;
  if (!allocations_.allows(access, address, bytes) && !allocations_.tolerates(address, bytes))
    operands_.fault(cta, thread, step, text("is out of bounds: " + allocations_.describe_refused(address)));
  return access == host::Access::kKernelRead ? memory_.at(address) : memory_.at_to_write(address);
}

void Accesses::load(Cta& cta, Thread& thread, const Step& step) {
  const std::size_t size = isa::type_bytes(step.type);
  const auto total = static_cast<unsigned>(size * step.targets);
  const std::byte* from = locate(cta, thread, step, total);
  for (unsigned i = 0; i < step.targets; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, from + i * size, size);
    if (isa::is_signed(step.type) && size < 8 && (bits >> (size * 8 - 1)) != 0)
      bits |= ~low_bits(static_cast<unsigned>(size) * 8);
    operands_.assign(thread, step.target[i], bits);
  }
}

std::uint64_t Accesses::in_space(const Cta& cta, const Thread& thread, const Step& step) const {
  const std::uint64_t address = operands_.value(cta, thread, step.source[0]);
  const auto constant = [&] {
    return std::any_of(program_.constants.begin(), program_.constants.end(),
                       [&](const auto& range) { return address - range.first < range.second; });
  };
  StateSpace space = StateSpace::kGlobal;
  if (address - isa::kSharedWindowBase < isa::kSharedWindowBytes)
    space = StateSpace::kShared;
  else if (address - isa::kLocalWindowBase < isa::kLocalWindowBytes)
    space = StateSpace::kLocal;
  else if (address - kParamWindowBase < kParamWindowBytes)
    space = StateSpace::kParam;
  else if (constant())
    space = StateSpace::kConst;
  // The window of kernel parameters is part of that of global memory (PTX ISA, isspacep).
  if (space == StateSpace::kParam && step.space == StateSpace::kGlobal) return 1;
  return space == step.space ? 1 : 0;
}

void Accesses::store(Cta& cta, Thread& thread, const Step& step) {
  const std::size_t size = isa::type_bytes(step.type);
  std::byte* to = locate(cta, thread, step, static_cast<unsigned>(size * step.sources));
  if (thread.attempt != nullptr) remember(thread, to, size * step.sources);
  for (unsigned i = 0; i < step.sources; ++i) {
    const std::uint64_t bits = operands_.value(cta, thread, step.source[i]);
    std::memcpy(to + i * size, &bits, size);
  }
}

void Accesses::wide_atomic(Cta& cta, Thread& thread, const Step& step) {
  using Two = std::array<std::uint64_t, 2>;
  std::byte* const at = locate(cta, thread, step, sizeof(Two));
  if (thread.attempt != nullptr) remember(thread, at, sizeof(Two));
  const auto pair = [&](unsigned first) {
    return Two{operands_.value(cta, thread, step.source[first]),
               operands_.value(cta, thread, step.source[first + 1])};
  };
  Two old{};
  std::memcpy(old.data(), at, sizeof old);
  const bool compares = step.atomic == Atomic::kCas;
  if (const Two next = pair(compares ? 2 : 0); !compares || old == pair(0))
    std::memcpy(at, next.data(), sizeof next);
  for (unsigned i = 0; i < 2; ++i) operands_.assign(thread, step.target[i], old[i]);
}

void Accesses::atomic(Cta& cta, Thread& thread, const Step& step) {
  if (step.flag) return wide_atomic(cta, thread, step);
  const unsigned size = isa::type_bytes(step.type);
  const unsigned elements = std::max<unsigned>(step.selector, 1);
  std::byte* const first_at = locate(cta, thread, step, size * elements);
  const bool shared = first_at >= cta.shared.data() && first_at < cta.shared.data() + cta.shared.size();
  if (thread.attempt != nullptr) remember(thread, first_at, std::size_t{size} * elements);
  std::array<std::uint64_t, std::tuple_size_v<decltype(Step::target)>> before{};
  for (unsigned i = 0; i < elements; ++i) {
    std::byte* const at = first_at + std::size_t{i} * size;
    std::memcpy(&before[i], at, size);
    const std::uint64_t first = operands_.value(cta, thread, step.source[i]);
    const std::uint64_t second =
        elements == 1 && step.sources > 1 ? operands_.value(cta, thread, step.source[1]) : 0;
    const std::uint64_t next = atomic_result(
        step.atomic, step.type, shared ? StateSpace::kShared : StateSpace::kGlobal, before[i], first, second);
    std::memcpy(at, &next, size);
  }
  // All are read before any is assigned: a result may be another one's operand.
  for (unsigned i = 0; i < step.targets; ++i) operands_.assign(thread, step.target[i], before[i]);
}

const std::byte* Accesses::read_at(Cta& cta, Thread& thread, const Step& step, std::int64_t further,
                                   unsigned bytes) {
  Step moved = step;
  moved.kind = Kind::kLoad;
  moved.displacement += further;
  return locate(cta, thread, moved, bytes);
}

std::byte* Accesses::write_at(Cta& cta, Thread& thread, const Step& step, std::int64_t further,
                              unsigned bytes) {
  Step moved = step;
  moved.kind = Kind::kStore;
  moved.displacement += further;
  return locate(cta, thread, moved, bytes);
}

void Accesses::copy(Cta& cta, Thread& thread, const Step& step) {
  if (step.selector == 0) return bulk_copy(cta, thread, step);
  const unsigned size = step.selector;
  std::byte* const to = write_at(cta, thread, *step.other, 0, size);
  const std::uint64_t given = operands_.value(cta, thread, step.source[0]);
  const auto wanted =
      static_cast<unsigned>(step.flag ? (given != 0 ? 0 : size) : std::min<std::uint64_t>(given, size));
  std::array<std::byte, 16> bytes{};
  // Byte by byte: of a part only what is read must be there. The address has the copy's alignment all the same.
  if (wanted == size)
    std::memcpy(bytes.data(), read_at(cta, thread, step, 0, size), size);
  else
    for (unsigned i = 0; i < wanted; ++i) bytes[i] = *read_at(cta, thread, step, i, 1);
  if (wanted != 0 && location(thread, step).address % size != 0)
    operands_.fault(cta, thread, step, "the copy's address is misaligned");
  std::memcpy(to, bytes.data(), size);
}

void Accesses::bulk_copy(Cta& cta, Thread& thread, const Step& step) {
  constexpr unsigned kPiece = 16;
  const std::uint64_t bytes = operands_.value(cta, thread, step.source[0]);
  for (std::uint64_t at = 0; at + kPiece <= bytes; at += kPiece) {
    const auto further = static_cast<std::int64_t>(at);
    std::byte* const to = write_at(cta, thread, *step.other, further, kPiece);
    std::memmove(to, read_at(cta, thread, step, further, kPiece), kPiece);
  }
  if (step.other->other != nullptr) barrier_object(cta, thread, *step.other->other);
}

// 64 bits of an mbarrier: the parity of its phase, then 20 bits of arrivals that it waits for, 20 of those that the next phase
// will wait for, and bytes.
void Accesses::barrier_object(Cta& cta, Thread& thread, const Step& step) {
  constexpr unsigned kPending = 1;
  constexpr unsigned kNext = 21;
  constexpr unsigned kBytes = 41;
  std::byte* const at = write_at(cta, thread, step, 0, 8);
  std::uint64_t old = 0;
  std::memcpy(&old, at, sizeof old);
  const std::uint64_t given = step.sources != 0 ? operands_.value(cta, thread, step.source[0]) : 0;
  if (step.object == BarrierObject::kTest || step.object == BarrierObject::kTestParity) {
    operands_.assign(thread, step.target[0], (old & 1) != (given & 1) ? 1 : 0);
    return;
  }
  std::uint64_t pending = old >> kPending & low_bits(20);
  std::uint64_t next = old >> kNext & low_bits(20);
  std::uint64_t bytes = old >> kBytes;
  std::uint64_t phase = old & 1;
  const auto arrive = [&](std::uint64_t count) {
    pending = (pending - count) & low_bits(20);
    if (pending == 0 && (bytes & low_bits(64 - kBytes)) == 0) phase ^= 1, pending = next;
  };
  switch (step.object) {
    case BarrierObject::kInitialise:
      if (given == 0 || given > low_bits(20))
        operands_.fault(cta, thread, step, fmt::format("an mbarrier for {} arrivals", given),
                        fmt::format("mbarrier.init takes a count from 1 to {}", low_bits(20)));
      pending = next = given & low_bits(20);
      phase = bytes = 0;
      break;
    case BarrierObject::kArrive:
      arrive(given);
      break;
    case BarrierObject::kDrop:
      next = (next - given) & low_bits(20);
      arrive(given);
      break;
    case BarrierObject::kComplete:
      bytes -= given;
      arrive(0);
      break;
    case BarrierObject::kArriveExpect:
      bytes += given;
      arrive(1);
      break;
    case BarrierObject::kDropExpect:
      bytes += given;
      next = (next - 1) & low_bits(20);
      arrive(1);
      break;
    default:
      bytes += given;
      break;
  }
  const std::uint64_t now = phase | pending << kPending | next << kNext | bytes << kBytes;
  if (thread.attempt != nullptr) remember(thread, at, sizeof now);
  std::memcpy(at, &now, sizeof now);
  if (step.targets != 0) operands_.assign(thread, step.target[0], old);
}

void Accesses::remember(Thread& thread, std::byte* at, std::size_t bytes) {
  thread.attempt->undo.emplace_back(at, std::vector<std::byte>(at, at + bytes));
}

}  // namespace mimd

namespace {

template <class T>
std::uint64_t integer_atomic(Atomic op, std::uint64_t old_bits, std::uint64_t operand_bits,
                             std::uint64_t second_bits) {
  const T old = value_of<T>(old_bits);
  const T operand = value_of<T>(operand_bits);
  switch (op) {
    case Atomic::kAdd:
      return bits_of(static_cast<T>(old_bits + operand_bits));
    case Atomic::kMin:
      return bits_of(old < operand ? old : operand);
    case Atomic::kMax:
      return bits_of(old > operand ? old : operand);
    case Atomic::kAnd:
      return old_bits & operand_bits;
    case Atomic::kOr:
      return old_bits | operand_bits;
    case Atomic::kXor:
      return old_bits ^ operand_bits;
    case Atomic::kExch:
      return operand_bits;
    case Atomic::kCas:
      return old == operand ? second_bits : old_bits;
    case Atomic::kInc:
      return old >= operand ? 0 : old_bits + 1;
    case Atomic::kDec:
      return old == 0 || old > operand ? operand_bits : old_bits - 1;
  }
  return old_bits;
}

std::uint64_t half_sum(std::uint64_t a, std::uint64_t b) {
  const auto half = [](std::uint64_t bits) { return to_double({static_cast<std::uint16_t>(bits)}); };
  return to_half(half(a) + half(b)).bits;
}

std::uint64_t bfloat_sum(std::uint64_t a, std::uint64_t b) {
  return rounded_to(kBf16, value_in(kBf16, a & 0xffff) + value_in(kBf16, b & 0xffff), Narrow::kNearestEven,
                    false);
}

/// A NaN comes through (measured on an H200), quiet if an addition made the sum: global memory has no such instruction. Of two
/// the operand's, as in an addition; what global memory does with two is not known.
std::uint64_t double_sum(std::uint64_t memory, std::uint64_t operand, bool by_addition) {
  constexpr std::uint64_t kQuietBit = std::uint64_t{1} << 51;
  const bool given = std::isnan(value_of<double>(operand));
  if (!given && !std::isnan(value_of<double>(memory)))
    return float_result(value_of<double>(memory) + value_of<double>(operand));
  return (given ? operand : memory) | (by_addition ? kQuietBit : 0);
}

}  // namespace

std::uint64_t atomic_result(Atomic op, Type type, StateSpace space, std::uint64_t old, std::uint64_t operand,
                            std::uint64_t second) {
  switch (type) {
    case Type::kF32: {
      // atom.add.f32 flushes subnormals in global memory and keeps them in shared memory (PTX ISA, atom).
      const bool flushes = space != StateSpace::kShared;
      float a = value_of<float>(old);
      float b = value_of<float>(operand);
      if (flushes) a = flushed(a), b = flushed(b);
      const float sum = a + b;
      return float_result(flushes ? flushed(sum) : sum);
    }
    case Type::kF64:
      return double_sum(old, operand, space == StateSpace::kShared);
    case Type::kF16:
      return half_sum(old, operand);
    case Type::kBf16:
      return bfloat_sum(old, operand);
    case Type::kBf16x2:
      return bfloat_sum(old & 0xffff, operand & 0xffff) | bfloat_sum(old >> 16, operand >> 16) << 16;
    case Type::kF16x2:
      return half_sum(old, operand) | half_sum(old >> 16, operand >> 16) << 16;
    case Type::kB16:
      return integer_atomic<std::uint16_t>(op, old, operand, second);
    case Type::kS32:
      return integer_atomic<std::int32_t>(op, old, operand, second);
    case Type::kB64:
    case Type::kU64:
      return integer_atomic<std::uint64_t>(op, old, operand, second);
    case Type::kS64:
      return integer_atomic<std::int64_t>(op, old, operand, second);
    default:
      return integer_atomic<std::uint32_t>(op, old, operand, second);
  }
}

}  // namespace heddle::oracle
