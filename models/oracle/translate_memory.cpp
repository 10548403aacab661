// Loads, stores, atomics, address conversions and memory hints.
#include "oracle/bits.h"
#include "oracle/builder.h"

namespace heddle::oracle {

namespace {

std::optional<StateSpace> take_space(Builder& b) {
  // ".shared::cta" is the same as ".shared"; the name of a parameter shows whether it is a kernel's or a
  // call's.
  return b.take_choice<StateSpace>({{"global", StateSpace::kGlobal},
                                    {"shared", StateSpace::kShared},
                                    {"shared::cta", StateSpace::kShared},
                                    {"local", StateSpace::kLocal},
                                    {"param", StateSpace::kParam},
                                    {"param::entry", StateSpace::kParam},
                                    {"param::func", StateSpace::kParam},
                                    {"const", StateSpace::kConst}});
}

/// How an access is ordered. Ordering, scope and caching do not change values here: the oracle's memory is
/// sequentially consistent and has no caches.
enum class Strength : std::uint8_t { kWeak, kVolatile, kOrdered, kMmio };

bool take_scope(Builder& b) { return b.take("cta") || b.take("cluster") || b.take("gpu") || b.take("sys"); }

/// Of ld and st; `ordering`: acquire or release. Combinations that PTX does not have are refused.
Strength take_ordering(Builder& b, StateSpace space, std::string_view ordering) {
  if (b.take("weak")) return Strength::kWeak;
  const bool is_volatile = b.take("volatile");
  const bool mmio = b.take("mmio");
  const bool relaxed = b.take("relaxed");
  const bool ordered = b.take(ordering);
  if (!is_volatile && !mmio && !relaxed && !ordered)
    return Strength::kWeak;  // a scope that is left is refused
  const bool shared = space == StateSpace::kShared;
  if (!shared && space != StateSpace::kGlobal && space != StateSpace::kGeneric) b.refuse();
  if (int{is_volatile} + int{relaxed} + int{ordered} != 1) b.refuse();
  if (is_volatile) {
    if (mmio) b.refuse();
    return Strength::kVolatile;
  }
  if (!mmio) {
    if (!take_scope(b)) b.refuse();
    return Strength::kOrdered;
  }
  if (!relaxed || !b.take("sys") || shared) b.refuse();
  return Strength::kMmio;
}

/// Of atom and red: the default is relaxed, at the scope of the GPU.
void take_atomic_ordering(Builder& b, bool has_result) {
  if (!b.take("relaxed") && !b.take("release") && has_result) b.take("acquire") || b.take("acq_rel");
  take_scope(b);
}

void take_caching(Builder& b, Strength strength) {
  if (strength == Strength::kMmio) return;
  if (strength == Strength::kWeak)
    for (const auto* word : {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"}) b.take(word);
  if (strength != Strength::kVolatile) {
    b.take_prefixed("L1::evict_");
    b.take("L1::no_allocate");
    b.take_prefixed("L2::evict_");
  }
  b.take_prefixed("L2::64B") || b.take_prefixed("L2::128B") || b.take_prefixed("L2::256B");
}

/// .L2::cache_hint has a policy as an operand more. `operands`: without it.
void expect_with_hint(Builder& b, std::size_t operands) {
  if (b.take("L2::cache_hint")) ++operands;
  b.expect_operands(operands, operands);
}

unsigned take_vector(Builder& b) {
  return b.take_choice<unsigned>({{"v2", 2}, {"v4", 4}, {"v8", 8}}).value_or(1);
}

bool is_memory_type(Type type) {
  return type != Type::kPred && isa::type_bytes(type) >= 1 && isa::type_bytes(type) <= 8;
}

/// How many elements of step.type: up to 16 bytes, or four of 64 bits. A 128-bit register is two of 64 bits.
unsigned take_elements(Builder& b) {
  const unsigned vector = take_vector(b);
  if (vector == 1 && b.take("b128")) {
    b.step.type = Type::kB64;
    return 2;
  }
  b.step.type = b.take_type();
  const unsigned bytes = vector * static_cast<unsigned>(isa::type_bytes(b.step.type));
  if (!is_memory_type(b.step.type) || bytes > 32 || (bytes == 32 && vector < 4) ||
      (vector == 8 && bytes < 32))
    b.refuse();
  return vector;
}

void load(Builder& b) {
  b.step.kind = Kind::kLoad;
  const StateSpace space = take_space(b).value_or(StateSpace::kGeneric);
  const Strength strength = take_ordering(b, space, "acquire");
  b.step.flag = strength != Strength::kWeak;  // another thread may be waiting for it
  take_caching(b, strength);
  const unsigned elements = take_elements(b);
  expect_with_hint(b, 2);
  b.targets(0, elements, b.step.type);
  b.address(1, space);
}

void store(Builder& b) {
  b.step.kind = Kind::kStore;
  const StateSpace space = take_space(b).value_or(StateSpace::kGeneric);
  if (space == StateSpace::kConst) b.refuse();
  take_caching(b, take_ordering(b, space, "release"));
  const unsigned elements = take_elements(b);
  expect_with_hint(b, 2);
  b.address(0, space);
  if (b.step.space == StateSpace::kParam && b.in_kernel()) b.fail("a kernel's parameters cannot be written");
  b.sources(1, elements, b.step.type);
}

bool atomic_type_allowed(Atomic op, Type type) {
  switch (op) {
    case Atomic::kAdd:
      return type == Type::kU32 || type == Type::kS32 || type == Type::kU64 || type == Type::kS64 ||
             type == Type::kF32 || type == Type::kF64 || type == Type::kF16 || type == Type::kF16x2 ||
             type == Type::kBf16 || type == Type::kBf16x2;
    case Atomic::kMin:
    case Atomic::kMax:
      return type == Type::kU32 || type == Type::kS32 || type == Type::kU64 || type == Type::kS64;
    case Atomic::kAnd:
    case Atomic::kOr:
    case Atomic::kXor:
      return type == Type::kB32 || type == Type::kB64;
    case Atomic::kExch:
    case Atomic::kCas:
      return type == Type::kB16 || type == Type::kB32 || type == Type::kB64;
    case Atomic::kInc:
    case Atomic::kDec:
      return type == Type::kU32;
  }
  return false;
}

/// The same of 128 bits.
void wide_atomic(Builder& b, StateSpace space) {
  b.step.flag = true;
  b.step.type = Type::kB64;
  const bool compares = b.step.atomic == Atomic::kCas;
  const std::size_t operands = compares ? 4 : 3;
  if (compares)
    b.expect_operands(operands, operands);
  else
    expect_with_hint(b, operands);
  b.targets(0, 2, b.step.type);
  b.address(1, space);
  for (std::size_t i = 2; i < operands; ++i) b.sources(i, 2, b.step.type);
}

/// atom d, [a], b{, c}; red [a], b.
void atomic(Builder& b) {
  const bool has_result = b.opcode() == "atom";
  b.step.kind = Kind::kAtomic;
  const StateSpace space = take_space(b).value_or(StateSpace::kGeneric);
  if (space != StateSpace::kGeneric && space != StateSpace::kGlobal && space != StateSpace::kShared)
    b.refuse();
  take_atomic_ordering(b, has_result);
  const auto op = b.take_choice<Atomic>({{"add", Atomic::kAdd},
                                         {"min", Atomic::kMin},
                                         {"max", Atomic::kMax},
                                         {"and", Atomic::kAnd},
                                         {"or", Atomic::kOr},
                                         {"xor", Atomic::kXor},
                                         {"exch", Atomic::kExch},
                                         {"cas", Atomic::kCas},
                                         {"inc", Atomic::kInc},
                                         {"dec", Atomic::kDec}});
  if (!op || (!has_result && (*op == Atomic::kExch || *op == Atomic::kCas))) b.refuse();
  b.step.atomic = *op;
  if (has_result && (*op == Atomic::kExch || *op == Atomic::kCas) && b.take("b128"))
    return wide_atomic(b, space);
  const bool keeps_subnormals = b.take("noftz");
  b.step.type = b.take_type();
  if (!atomic_type_allowed(*op, b.step.type)) b.refuse();
  const bool half = b.step.type == Type::kF16 || b.step.type == Type::kF16x2 || b.step.type == Type::kBf16 ||
                    b.step.type == Type::kBf16x2;
  if (half != keeps_subnormals) b.refuse();
  const unsigned elements = take_vector(b);
  if (elements > 1) {
    const unsigned bytes = elements * static_cast<unsigned>(isa::type_bytes(b.step.type));
    if (*op != Atomic::kAdd || bytes > 16 || (!half && b.step.type != Type::kF32) ||
        space == StateSpace::kShared)
      b.refuse();
    b.step.selector = static_cast<std::uint8_t>(elements);
  }
  const std::size_t address = has_result ? 1 : 0;
  const std::size_t operands = address + (*op == Atomic::kCas ? 3 : 2);
  expect_with_hint(b, operands);
  if (has_result) b.targets(0, elements, b.step.type);
  b.address(address, elements > 1 ? StateSpace::kGlobal : space);
  if (elements > 1) return b.sources(address + 1, elements, b.step.type);
  for (std::size_t i = address + 1; i < operands; ++i) b.source(i, b.step.type);
}

/// cvta.space: address in the space to generic; cvta.to.space: the other way.
void convert_address(Builder& b) {
  const bool to_space = b.take("to");
  const auto space = take_space(b);
  if (!space) b.refuse();
  b.step.type = b.take_type();
  if (b.step.type != Type::kU64) b.refuse();
  b.uniform_operands(1);
  b.constant_source(generic_window(*space, *space == StateSpace::kParam && !b.in_kernel()));
  b.step.eval = to_space ? Eval{[](const Step&, Inputs in) { return in[0] - in[1]; }}
                         : Eval{[](const Step&, Inputs in) { return in[0] + in[1]; }};
}

void is_in_space(Builder& b) {
  b.step.kind = Kind::kSpace;
  const auto space = take_space(b);
  if (!space) b.refuse();
  b.step.space = *space;
  b.expect_operands(2, 2);
  b.target(0, Type::kPred);
  b.source(1, Type::kU64);
}

void hint(Builder& b) {
  b.step.kind = Kind::kNothing;
  take_space(b);
  for (const auto* word : {"L1", "L2"}) b.take(word);
  b.take_prefixed("L2::evict_");
  b.expect_operands(1, 1);
}

/// applypriority and discard: of a line of L2, with its size.
void line_hint(Builder& b) {
  b.step.kind = Kind::kNothing;
  take_space(b);
  b.take("L2") || b.take("L2::evict_normal");
  b.expect_operands(2, 2);
}

/// membar and fence have no effect in sequentially consistent memory.
void fence(Builder& b) {
  b.step.kind = Kind::kNothing;
  b.expect_operands(0, 0);
  if (b.take("proxy")) {
    if (b.take("alias")) return;
    if (!b.take("async") && !b.take("async.global") && !b.take("async.shared::cta")) b.refuse();
    b.take("global") || b.take("shared::cta");
    return;
  }
  if (b.take("mbarrier_init")) {
    if (!b.take("release") || !b.take("cluster")) b.refuse();
    return;
  }
  if (b.opcode() == "fence") b.take("sc") || b.take("acq_rel") || b.take("acquire") || b.take("release");
  const bool scope = b.opcode() == "fence" ? take_scope(b) : b.take("cta") || b.take("gl") || b.take("sys");
  if (!scope) b.refuse();
}

}  // namespace

Handlers memory_handlers() {
  return {{"ld", load},
          {"ldu", load},
          {"st", store},
          {"atom", atomic},
          {"red", atomic},
          {"cvta", convert_address},
          {"isspacep", is_in_space},
          {"prefetch", hint},
          {"applypriority", line_hint},
          {"discard", line_hint},
          {"prefetchu", hint},
          {"membar", fence},
          {"fence", fence}};
}

}  // namespace heddle::oracle
