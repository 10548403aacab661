// Accesses of memory, constants that are read by an address, and the order of accesses.
#include <fmt/format.h>

#include <optional>

#include "frontend/sass/form.h"
#include "frontend/sass/lower/lowering.h"
#include "frontend/sass/lower/words.h"

namespace heddle::sass {
namespace {

using isa::StateSpace;

// Codes of the field of sizes.
enum class Size : std::uint16_t { kU8, kS8, kU16, kS16, k32, k64, k128, kU128 };

struct Element {
  isa::Type type = isa::Type::kB32;
  std::uint8_t count = 1;
};

Element element_of(std::uint16_t size) {
  switch (static_cast<Size>(size)) {
    case Size::kU8:
      return {isa::Type::kU8, 1};
    case Size::kS8:
      return {isa::Type::kS8, 1};
    case Size::kU16:
      return {isa::Type::kU16, 1};
    case Size::kS16:
      return {isa::Type::kS16, 1};
    case Size::k32:
      return {};
    case Size::k64:
      return {isa::Type::kB32, 2};
    case Size::k128:
    case Size::kU128:
      return {isa::Type::kB32, 4};
  }
  return {};
}

}  // namespace

isa::MemoryOperand address_of(KernelRows& rows, const Operand& at, bool wide) {
  const bool adds_uniform = at.uniform != kNoRegister && !at.descriptor && at.uniform != kUrz;
  // Beside a uniform register, the operand says whether the base is a pair.
  const bool pair = wide && (at.uniform == kNoRegister || at.wide);
  isa::MemoryOperand memory;
  memory.displacement = at.value;
  if (at.number != kRz) {
    memory.base = rows.general(at.number);
    if (pair) memory.high = rows.general_high(at.number);
    memory.base_shift = static_cast<std::uint8_t>(at.scale == 0 ? 0 : at.scale + 1);
  }
  if (adds_uniform) {
    const isa::Operand low = rows.uniform(at.uniform);
    const isa::Operand high = wide ? rows.uniform_high(at.uniform) : isa::Operand{};
    if (at.number == kRz) {
      memory.base = low;
      memory.high = high;
    } else {
      memory.second = low;
      memory.second_high = high;
    }
  }
  // A base of 32 bits alone, in an address of 64.
  if (wide && memory.base.present && !memory.wide()) memory.second = rows.literal64(0);
  return memory;
}

namespace {

// Codes of the field of order on sm_90.
constexpr std::uint16_t kConstant90 = 4, kStrongSm = 5, kStrongGpu = 7, kStrongSystem = 10;
// ... and of the two fields on sm_75.
constexpr std::uint16_t kConstant75 = 0, kWeak75 = 1;
enum class Scope75 : std::uint16_t { kCta, kSm, kGpu, kSystem };
constexpr std::uint16_t kEvictFirst = 0, kLastUse = 3;

isa::MemoryScope scope_of(std::uint16_t code) {
  switch (static_cast<Scope75>(code)) {
    case Scope75::kCta:
    case Scope75::kSm:
      return isa::MemoryScope::kCta;
    case Scope75::kGpu:
      return isa::MemoryScope::kGpu;
    case Scope75::kSystem:
      break;
  }
  return isa::MemoryScope::kSystem;
}

/// Order and scope. L1 is not coherent: what is stronger than weak passes it by, as the scope requires.
void set_order(const Lowering& of, const Instruction& in, isa::Instruction& out) {
  const std::uint16_t order = in.value(Modifier::kOrder);
  bool weak = false;
  bool constant = false;
  if (of.arch == Arch::kSm90) {
    weak = order == 0;
    constant = order == kConstant90;
    out.scope = order == kStrongSm    ? isa::MemoryScope::kCta
                : order == kStrongGpu ? isa::MemoryScope::kGpu
                                      : isa::MemoryScope::kSystem;
  } else {
    weak = order == kWeak75;
    constant = order == kConstant75;
    out.scope = scope_of(in.value(Modifier::kScope));
  }
  const std::uint16_t eviction = in.value(Modifier::kEviction);
  out.cache_op = constant                  ? isa::CacheOp::kNonCoherent
                 : !weak                   ? isa::CacheOp::kVolatile
                 : eviction == kEvictFirst ? isa::CacheOp::kStreaming
                 : eviction == kLastUse    ? isa::CacheOp::kLastUse
                                           : isa::CacheOp::kDefault;
  if (weak || constant) out.scope = isa::MemoryScope::kGpu;
}

struct Access {
  StateSpace space;
  bool may_be_wide;
};

std::optional<Access> access_of(Opcode op) {
  switch (op) {
    case Opcode::kLdg:
    case Opcode::kStg:
    case Opcode::kAtomg:
    case Opcode::kAtomgCas:
    case Opcode::kRed:
      return Access{StateSpace::kGlobal, true};
    case Opcode::kLd:
    case Opcode::kSt:
    case Opcode::kAtom:
    case Opcode::kAtomCas:
    case Opcode::kAtomCast:
      return Access{StateSpace::kGeneric, true};
    case Opcode::kLds:
    case Opcode::kSts:
    case Opcode::kAtoms:
    case Opcode::kAtomsCas:
    case Opcode::kAtomsCast:
    case Opcode::kAtomsPopcInc:
      return Access{StateSpace::kShared, false};
    case Opcode::kLdl:
    case Opcode::kStl:
      return Access{StateSpace::kLocal, false};
    default:
      return std::nullopt;
  }
}

void begin_access(Lowering& of, const Instruction& in, const Access& access, isa::Opcode op,
                  isa::Instruction& out) {
  out.op = op;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.space = access.space;
  const bool wide = access.may_be_wide && in.value(Modifier::kWideAddress) != 0;
  out.memory = address_of(of.rows, *in.find(Role::kAddress), wide);
}

void lower_load(Lowering& of, const Instruction& in, const Access& access, isa::Instruction& out) {
  const Operand* const loaded = in.find(Role::kPd0);
  if (loaded != nullptr && loaded->number != kPt) of.rows.refuse("a load that says whether it succeeded");
  const Operand* const when = in.find(Role::kPs0);
  if (when != nullptr && (when->number != kPt || when->negate))
    of.rows.refuse("a load under a predicate of its own");
  begin_access(of, in, access, isa::Opcode::kLoad, out);
  const Element element = element_of(in.value(Modifier::kSize));
  out.type = element.type;
  out.vector = element.count;
  if (access.may_be_wide) set_order(of, in, out);
  for (unsigned i = 0; i < element.count; ++i)
    out.dst[i] = result_word(of.rows, in.find(Role::kDst)->number, i);
}

void lower_store(Lowering& of, const Instruction& in, const Access& access, isa::Instruction& out) {
  begin_access(of, in, access, isa::Opcode::kStore, out);
  const Element element = element_of(in.value(Modifier::kSize));
  out.type = element.type;
  out.vector = element.count;
  if (access.may_be_wide) set_order(of, in, out);
  for (unsigned i = 0; i < element.count; ++i)
    out.src[i] = source_word(of.rows, in.find(Role::kData)->number, i);
}

isa::AtomicOp atomic_op_of(std::uint16_t code) {
  constexpr isa::AtomicOp kOps[] = {isa::AtomicOp::kAdd, isa::AtomicOp::kMin, isa::AtomicOp::kMax,
                                    isa::AtomicOp::kInc, isa::AtomicOp::kDec, isa::AtomicOp::kAnd,
                                    isa::AtomicOp::kOr,  isa::AtomicOp::kXor, isa::AtomicOp::kExch};
  return kOps[code];
}

/// Floating-point atomics of sm_90 have operation codes of their own.
bool has_float_code(const Instruction& in) {
  constexpr std::uint16_t kAtom = 0x9a2, kAtomg = 0x9a3, kRed = 0x9a6;
  return in.form->code == kAtom || in.form->code == kAtomg || in.form->code == kRed;
}

isa::Type atomic_type(const Lowering& of, const Instruction& in) {
  using isa::Type;
  const std::uint16_t code = in.value(Modifier::kType);
  if (has_float_code(in)) {
    constexpr std::uint16_t kBf16x2 = 3, kF32 = 9, kF64 = 15;  // and from each one on, vectors of it
    return code == kF64      ? Type::kF64
           : code >= kF32    ? Type::kF32
           : code >= kBf16x2 ? Type::kBf16x2
                             : Type::kF16x2;
  }
  if (of.arch == Arch::kSm75) {
    constexpr Type kTypes[] = {Type::kU32,   Type::kS32, Type::kU64, Type::kF32,
                               Type::kF16x2, Type::kS64, Type::kF64};
    return kTypes[code];
  }
  constexpr Type kTypes[] = {Type::kU32, Type::kS32, Type::kU64, Type::kS64, Type::kB128};
  return kTypes[code];
}

/// Words of a vector; 1: it is none.
unsigned atomic_words(const Instruction& in) {
  constexpr unsigned kSizes = 3;  // of each type: one word, two, four
  return has_float_code(in) ? 1u << in.value(Modifier::kType) % kSizes : 1;
}

void lower_atomic(Lowering& of, const Instruction& in, const Access& access, isa::Instruction& out) {
  // Of a generic address: whether it was done, or is left to code for shared memory. All of them are done.
  if (const Operand* const done = in.find(Role::kPd0); done != nullptr)
    out.dst[2] = of.rows.to_predicate(done->number);
  begin_access(of, in, access, isa::Opcode::kAtomic, out);
  // Executed at the L2 or in shared memory: no L1 policy applies.
  if (access.may_be_wide) set_order(of, in, out);
  out.cache_op = isa::CacheOp::kDefault;
  const Operand* const data = in.find(Role::kData);
  const auto operand = [&](unsigned source, const Operand& from) {
    out.src[source] = source_word(of.rows, from.number, 0);
    if (isa::type_bytes(out.type) == 8) out.src[source + 2] = source_word(of.rows, from.number, 1);
  };
  switch (in.op) {
    case Opcode::kAtomsPopcInc:
      out.type = isa::Type::kU32;
      out.atomic_op = isa::AtomicOp::kAdd;
      out.src[0] = of.rows.literal(1);
      break;
    case Opcode::kAtomCas:
    case Opcode::kAtomgCas:
    case Opcode::kAtomsCas:
    case Opcode::kAtomsCast:
    case Opcode::kAtomCast: {
      constexpr std::uint16_t k64 = 2, k128 = 4;
      const std::uint16_t type = in.value(Modifier::kType);
      out.type = type == k128 ? isa::Type::kB128 : type == k64 ? isa::Type::kU64 : isa::Type::kU32;
      out.atomic_op = in.op == Opcode::kAtomsCast || in.op == Opcode::kAtomCast ? isa::AtomicOp::kCast
                                                                                : isa::AtomicOp::kCas;
      if (type == k128) return lower_wide_atomic(of, in, out);
      operand(0, *data);
      operand(1, *in.find(Role::kData2));
      break;
    }
    default:
      out.type = atomic_type(of, in);
      out.atomic_op = atomic_op_of(in.value(Modifier::kOperation));
      if (isa::is_float(out.type) && out.atomic_op != isa::AtomicOp::kAdd)
        of.rows.refuse("of atomic operations on floating-point numbers only ADD is supported");
      if (const unsigned words = atomic_words(in); words > 1) return lower_vector_atomic(of, in, words, out);
      if (out.type == isa::Type::kB128) {
        if (out.atomic_op != isa::AtomicOp::kExch)
          of.rows.refuse("of atomic operations on 128 bits only EXCH and CAS exist");
        return lower_wide_atomic(of, in, out);
      }
      operand(0, *data);
  }
  const Operand* const dst = in.find(Role::kDst);
  if (dst == nullptr) return;
  out.dst[0] = result_word(of.rows, dst->number, 0);
  if (isa::type_bytes(out.type) == 8) out.dst[1] = result_word(of.rows, dst->number, 1);
}

// ---- Constants

isa::Operand constant_result(KernelRows& rows, const Operand& dst, unsigned word) {
  if (dst.kind == Operand::Kind::kUniformRegister)
    return dst.number == kUrz ? isa::Operand{} : rows.to_uniform(dst.number + word);
  return result_word(rows, dst.number, word);
}

/// A constant whose place is known: a move of rows.
void move_constant(Lowering& of, const Operand& at, const Operand& dst, const Element& element,
                   isa::Instruction& out) {
  out.op = isa::Opcode::kLane;
  const auto offset = static_cast<std::uint32_t>(at.value);
  const unsigned bytes = isa::type_bytes(element.type);
  if (offset % bytes != 0) of.rows.refuse("a constant that is not aligned");
  if (bytes < 4) {
    out.lane_fn = move_part;
    out.src[0] = of.rows.bank(at.bank, offset & ~3u);
    out.dst[0] = constant_result(of.rows, dst, 0);
    out.immediate = offset % 4 * 8 | bytes * 8 << 8 | (isa::is_signed(element.type) ? 1u << 16 : 0u);
    return;
  }
  out.lane_fn = move_words;
  if (element.count > isa::kMaxDestinations) of.rows.refuse("a uniform constant of 128 bits");
  for (unsigned i = 0; i < element.count; ++i) {
    out.src[i] = of.rows.bank(at.bank, offset + 4 * i);
    out.dst[i] = constant_result(of.rows, dst, i);
  }
}

/// A constant that is read from memory: the constant cache's work.
void load_constant(Lowering& of, const Operand& at, const Operand& dst, const Element& element,
                   isa::Instruction& out) {
  out.op = isa::Opcode::kLoad;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.type = element.type;
  out.vector = element.count;
  for (unsigned i = 0; i < element.count; ++i) out.dst[i] = constant_result(of.rows, dst, i);
  isa::Operand index;
  if (at.number != kRz) index = of.rows.general(at.number);
  if (at.uniform != kNoRegister && at.uniform != kUrz) index = of.rows.uniform(at.uniform);
  if (at.bank == 0) {
    out.space = StateSpace::kParam;
    out.memory.displacement = at.value - of.section.parameter_base;
    out.memory.base = index;
    return;
  }
  const std::uint64_t bank = of.module.address_of_bank(of.placed, at.bank);
  if (bank == 0) of.rows.refuse(fmt::format("the kernel has no constant bank {}", at.bank));
  out.space = StateSpace::kConst;
  out.memory.displacement = static_cast<std::int64_t>(bank) + at.value;
  out.memory.base = index;
  if (index.present) out.memory.second = of.rows.literal64(0);  // the sum has 64 bits
}

void lower_constant(Lowering& of, const Instruction& in, isa::Instruction& out) {
  if (in.value(Modifier::kMode) != 0) of.rows.refuse("this way of indexing constants is not supported");
  const Operand& at = *in.find(Role::kAddress);
  const Operand& dst = *in.find(Role::kDst);
  const Element element = element_of(in.value(Modifier::kSize));
  const bool indexed = at.number != kRz || (at.uniform != kNoRegister && at.uniform != kUrz);
  // LDC is the constant cache's; ULDC reads as operands of arithmetic do. What a launch keeps in front of the parameters is
  // in no memory.
  const bool launch_state = at.bank == 0 && !indexed && at.value < of.section.parameter_base;
  if (!indexed && (in.op == Opcode::kUldc || launch_state)) return move_constant(of, at, dst, element, out);
  load_constant(of, at, dst, element, out);
}

// ---- Order

void lower_fence(const Instruction& in, isa::Instruction& out) {
  constexpr std::uint16_t kAll = 1, kMostCodes = 4;
  out.op = isa::Opcode::kFence;
  out.unit = isa::Unit::kControl;
  out.latency_class = isa::LatencyClass::kControl;
  const std::uint16_t scope = in.value(Modifier::kScope);
  out.scope = scope < kMostCodes ? scope_of(scope) : isa::MemoryScope::kSystem;
  out.fence_order =
      in.value(Modifier::kOrder) == kAll ? isa::FenceOrder::kAcquireRelease : isa::FenceOrder::kSequential;
}

void lower_space_test(Lowering& of, const Instruction& in, isa::Instruction& out) {
  const isa::MemoryOperand at =
      address_of(of.rows, *in.find(Role::kAddress), in.value(Modifier::kWideAddress) != 0);
  constexpr std::uint64_t kDisplacement = ~(std::uint64_t{3} << 62);
  out.op = isa::Opcode::kLane;
  out.lane_fn = test_space;
  const auto or_zero = [&](const isa::Operand& row) { return row.present ? row : of.rows.literal(0); };
  const bool narrow = at.second.width == isa::RowWidth::k64;  // literal64(0) beside a base of 32 bits
  out.src[0] = or_zero(at.base);
  out.src[1] = or_zero(at.high);
  out.src[2] = narrow ? of.rows.literal(0) : or_zero(at.second);
  out.src[3] = or_zero(at.second_high);
  out.dst[0] = of.rows.to_predicate(in.find(Role::kPd0)->number);
  out.immediate = std::uint64_t{in.value(Modifier::kType)} << 62 |
                  (static_cast<std::uint64_t>(at.displacement) & kDisplacement);
}

}  // namespace

bool lower_memory(Lowering& of, const Instruction& in, isa::Instruction& out) {
  switch (in.op) {
    case Opcode::kLdc:
    case Opcode::kUldc:
      lower_constant(of, in, out);
      return true;
    case Opcode::kMembar:
      lower_fence(in, out);
      return true;
    case Opcode::kCctl:  // .IVALL: loads that follow find what other cores have written
      out.op = isa::Opcode::kFence;
      out.unit = isa::Unit::kControl;
      out.latency_class = isa::LatencyClass::kControl;
      out.scope = isa::MemoryScope::kGpu;
      out.fence_order = isa::FenceOrder::kAcquire;
      return true;
    case Opcode::kErrbar:
    case Opcode::kCgaerrbar:  // errors are precise
    case Opcode::kDepbar:     // it only waits: isa::ControlCodes
      out.op = isa::Opcode::kNop;
      return true;
    case Opcode::kQspc:
      lower_space_test(of, in, out);
      return true;
    default:
      break;
  }
  const std::optional<Access> access = access_of(in.op);
  if (!access) return false;
  switch (in.op) {
    case Opcode::kLdg:
    case Opcode::kLd:
    case Opcode::kLds:
    case Opcode::kLdl:
      lower_load(of, in, *access, out);
      return true;
    case Opcode::kStg:
    case Opcode::kSt:
    case Opcode::kSts:
    case Opcode::kStl:
      lower_store(of, in, *access, out);
      return true;
    default:
      lower_atomic(of, in, *access, out);
      return true;
  }
}

}  // namespace heddle::sass
