#include "analysis/addresses.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>

#include "isa/lane_ops.h"

namespace heddle::analysis {
namespace {

using isa::Instruction;
using isa::LaneOp;
using isa::Opcode;
using isa::Operand;
using isa::RowSpace;
using isa::RowWidth;
using isa::StateSpace;
using isa::Type;
using Base = Address::Base;

/// What a lane function does to addresses. Lane functions are compared by identity: instructions with the
/// same function do the same.
enum class Meaning : std::uint8_t { kOther, kMove, kAdd, kSub, kMultiply, kMultiplyAdd, kShiftLeft, kSelect };

struct MeaningOf {
  isa::LaneFn fn;
  Meaning meaning;
};

const std::vector<MeaningOf>& meanings() {
  static const std::vector<MeaningOf> table = [] {
    std::vector<MeaningOf> list;
    const auto add = [&](LaneOp op, Meaning meaning, std::initializer_list<Type> types) {
      for (const Type type : types) {
        isa::LaneSpec spec;
        spec.op = op;
        spec.type = type;
        if (const isa::LaneFn fn = isa::find_lane_fn(spec)) list.push_back({fn, meaning});
      }
    };
    const auto integers = {Type::kU32, Type::kS32, Type::kU64, Type::kS64};
    add(LaneOp::kMov, Meaning::kMove,
        {Type::kB32, Type::kU32, Type::kS32, Type::kB64, Type::kU64, Type::kS64});
    add(LaneOp::kAdd, Meaning::kAdd, integers);
    add(LaneOp::kSub, Meaning::kSub, integers);
    add(LaneOp::kMul, Meaning::kMultiply, integers);
    add(LaneOp::kMulWide, Meaning::kMultiply, {Type::kU32, Type::kS32});
    add(LaneOp::kMad, Meaning::kMultiplyAdd, integers);
    add(LaneOp::kMadWide, Meaning::kMultiplyAdd, {Type::kU32, Type::kS32});
    add(LaneOp::kShl, Meaning::kShiftLeft, {Type::kB32, Type::kB64});
    add(LaneOp::kSelp, Meaning::kSelect,
        {Type::kB32, Type::kU32, Type::kS32, Type::kB64, Type::kU64, Type::kS64});
    for (const auto& [to, from] : {std::pair{Type::kU64, Type::kU32},
                                   {Type::kS64, Type::kS32},
                                   {Type::kU32, Type::kU64},
                                   {Type::kS64, Type::kU32},
                                   {Type::kU64, Type::kS32},
                                   {Type::kU64, Type::kU64}}) {
      isa::LaneSpec spec;
      spec.op = LaneOp::kCvt;
      spec.type = to;
      spec.src_type = from;
      if (const isa::LaneFn fn = isa::find_lane_fn(spec)) list.push_back({fn, Meaning::kMove});
    }
    isa::LaneSpec low;
    low.op = LaneOp::kUnpack2x32Lo;
    low.type = Type::kB32;
    if (const isa::LaneFn fn = isa::find_lane_fn(low)) list.push_back({fn, Meaning::kMove});
    return list;
  }();
  return table;
}

Meaning meaning_of(const Instruction& instruction) {
  if (instruction.op != Opcode::kLane) return Meaning::kOther;
  for (const MeaningOf& known : meanings())
    if (known.fn == instruction.lane_fn) return known.meaning;
  return Meaning::kOther;
}

/// The part of a stride that survives wrap-around: its largest power-of-two factor.
std::uint64_t wrapping(std::uint64_t stride) { return stride & (~stride + 1); }

std::int64_t reduced(std::int64_t offset, std::uint64_t stride) {
  if (stride == 0) return offset;
  const auto modulus = static_cast<std::int64_t>(stride);
  const std::int64_t rest = offset % modulus;
  return rest < 0 ? rest + modulus : rest;
}

std::int64_t wrapping_sum(std::int64_t a, std::int64_t b, bool subtract) {
  const auto left = static_cast<std::uint64_t>(a);
  const auto right = static_cast<std::uint64_t>(b);
  return static_cast<std::int64_t>(subtract ? left - right : left + right);
}

Address product(const Address& a, const Address& b) {
  if (a.base != Base::kNumber || b.base != Base::kNumber || (a.stride != 0 && b.stride != 0))
    return a.base == Base::kNothing || b.base == Base::kNothing ? Address{} : Address::number();
  const Address& exact = a.stride == 0 ? a : b;
  const Address& other = a.stride == 0 ? b : a;
  const auto factor = static_cast<std::uint64_t>(exact.offset);
  Address out{.base = Base::kNumber};
  out.stride = wrapping(other.stride * (factor == 0 ? 0 : wrapping(factor)));
  out.offset =
      reduced(static_cast<std::int64_t>(static_cast<std::uint64_t>(other.offset) * factor), out.stride);
  return out;
}

constexpr std::uint64_t kMostWindowBytes = isa::kLocalWindowBytes;

}  // namespace

Address Address::either(const Address& a, const Address& b) {
  if (a.base == Base::kNothing) return b;
  if (b.base == Base::kNothing || a == b) return a;
  if (a.base != b.base || a.start != b.start || a.space != b.space) return unknown();
  Address out = a;
  const auto apart = static_cast<std::uint64_t>(wrapping_sum(a.offset, b.offset, true));
  out.stride = wrapping(std::gcd(std::gcd(a.stride, b.stride), apart));
  out.offset = reduced(a.offset, out.stride);
  return out;
}

Address Address::sum(const Address& a, const Address& b, bool subtract) {
  if (a.base == Base::kNothing || b.base == Base::kNothing) return {};
  if (b.base != Base::kNumber && (a.base != Base::kNumber || subtract)) return unknown();
  Address out = b.base == Base::kNumber ? a : b;
  out.stride = wrapping(std::gcd(a.stride, b.stride));
  out.offset = reduced(wrapping_sum(a.offset, b.offset, subtract), out.stride);
  return out;
}

Accesses::Accesses(const isa::Kernel& kernel, const ControlFlowGraph& cfg, ReachingDefinitions& definitions)
    : kernel_(kernel), cfg_(cfg), definitions_(definitions) {
  evaluate();
  for (std::uint32_t i = 0; i < kernel.code.size(); ++i) {
    const Instruction& instruction = kernel.code[i];
    const bool memory = instruction.op == Opcode::kLoad || instruction.op == Opcode::kStore ||
                        instruction.op == Opcode::kAtomic;
    const bool constant =
        instruction.space == StateSpace::kParam || instruction.space == StateSpace::kConst ||
        (instruction.op == Opcode::kLoad && instruction.cache_op == isa::CacheOp::kNonCoherent);
    if (memory && !constant) all_.push_back(access_of(i));
  }
  find_calls();
}

const Access* Accesses::at(std::uint32_t instruction) const {
  const auto found =
      std::lower_bound(all_.begin(), all_.end(), instruction,
                       [](const Access& access, std::uint32_t i) { return access.instruction < i; });
  return found == all_.end() || found->instruction != instruction ? nullptr : &*found;
}

/// A call stands for all accesses of the functions that it may reach, directly or not.
void Accesses::find_calls() {
  const auto ranges = code_ranges(kernel_);
  const auto range_at = [&](std::uint32_t at) {
    return std::find_if(ranges.begin(), ranges.end(),
                        [&](const CodeRange& r) { return r.first <= at && at < r.end; });
  };
  struct Effect {
    bool reads = false;
    bool writes = false;
    std::set<std::size_t> callees;
  };
  std::vector<Effect> effects(ranges.size());
  const auto targets = [&](const Instruction& call) {
    std::vector<std::uint32_t> out;
    if (!call.src[0].present) return std::vector<std::uint32_t>{call.target.value()};
    for (std::uint32_t t = 0; t < call.table_count; ++t)
      out.push_back(kernel_.targets[call.table_first + t].value());
    return out;
  };
  for (std::size_t r = 0; r < ranges.size(); ++r)
    for (std::uint32_t i = ranges[r].first; i < ranges[r].end; ++i) {
      if (const Access* access = at(i); access != nullptr && is_shared(*access)) {
        effects[r].reads |= access->reads;
        effects[r].writes |= access->writes;
      }
      if (kernel_.code[i].op != Opcode::kCall) continue;
      for (const std::uint32_t to : targets(kernel_.code[i]))
        effects[r].callees.insert(static_cast<std::size_t>(range_at(to) - ranges.begin()));
    }
  for (bool again = true; again;) {
    again = false;
    for (Effect& effect : effects)
      for (const std::size_t callee : effect.callees) {
        const Effect before = effect;
        effect.reads |= effects[callee].reads;
        effect.writes |= effects[callee].writes;
        again |= effect.reads != before.reads || effect.writes != before.writes;
      }
  }
  std::vector<Access> calls;
  for (std::uint32_t i = 0; i < kernel_.code.size(); ++i) {
    if (kernel_.code[i].op != Opcode::kCall) continue;
    Access call{.instruction = i, .space = StateSpace::kGeneric, .address = Address::unknown()};
    for (const std::uint32_t to : targets(kernel_.code[i])) {
      const Effect& effect = effects[static_cast<std::size_t>(range_at(to) - ranges.begin())];
      call.reads |= effect.reads;
      call.writes |= effect.writes;
    }
    if (call.reads || call.writes) calls.push_back(call);
  }
  all_.insert(all_.end(), calls.begin(), calls.end());
  std::sort(all_.begin(), all_.end(),
            [](const Access& a, const Access& b) { return a.instruction < b.instruction; });
}

/// The variable that the instruction names, if it names exactly one.
const isa::VariableUse* Accesses::variable_of(std::uint32_t instruction) const {
  const auto& uses = kernel_.variable_uses;
  const auto first =
      std::lower_bound(uses.begin(), uses.end(), instruction,
                       [](const isa::VariableUse& use, std::uint32_t i) { return use.instruction < i; });
  if (first == uses.end() || first->instruction != instruction) return nullptr;
  const bool several = first + 1 != uses.end() && (first + 1)->instruction == instruction &&
                       ((first + 1)->start != first->start || (first + 1)->space != first->space);
  return several ? nullptr : &*first;
}

/// Fixed-point iteration from below: values only ever become less precise, in short chains.
void Accesses::evaluate() {
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t i = 0; i < kernel_.code.size(); ++i) {
      const Instruction& instruction = kernel_.code[i];
      for (unsigned w = 0; w < instruction.write_count; ++w) {
        const isa::RegId reg = instruction.writes[w];
        if (reg >= kernel_.registers.rows32 + kernel_.registers.rows64) continue;
        Address& known = values_[{i, reg}];
        const Address merged = Address::either(known, result(i, reg));
        again |= merged != known;
        known = merged;
      }
    }
  }
}

Address Accesses::operand(std::uint32_t instruction, const Operand& operand) {
  if (!operand.present || operand.width == RowWidth::kPredicate) return Address::number();
  if (operand.space == RowSpace::kSpecial) return Address::number();
  if (operand.space == RowSpace::kConstant) {
    for (const isa::LaunchConstant& launched : kernel_.launch_constants)
      if (launched.offset == operand.offset) return Address::unknown();
    std::uint64_t value = 0;
    std::memcpy(&value, kernel_.constants.data() + operand.offset, operand.width == RowWidth::k64 ? 8 : 4);
    Address out{.base = Base::kNumber, .offset = static_cast<std::int64_t>(value)};
    if (operand.width == RowWidth::k32) out.offset = static_cast<std::int32_t>(value);
    if (const isa::VariableUse* use = variable_of(instruction)) {
      // In a generic address the window base is part of the constant.
      std::uint64_t window = 0;
      if (value >= isa::kSharedWindowBase)
        window = isa::kSharedWindowBase;
      else if (value >= isa::kLocalWindowBase && value < isa::kLocalWindowBase + kMostWindowBytes)
        window = isa::kLocalWindowBase;
      out.base = Base::kVariable;
      out.space = use->space;
      out.start = use->start;
      out.offset = static_cast<std::int64_t>(value - window - use->start);
    }
    return out;
  }
  const ReachingDefinitions::Found found = definitions_.of(instruction, operand.reg);
  Address out;
  for (const std::uint32_t i : found.definitions) {
    const auto value = values_.find({i, operand.reg});
    if (value != values_.end())
      out = Address::either(out, value->second);
    else if (kernel_.code[i].op == Opcode::kCall)
      out = Address::either(out, Address::unknown());
  }
  // Arguments of a called function are unknown; a kernel's registers are undefined at its start.
  if (found.from_outside && cfg_.block_of(instruction) != 0 && kernel_.function_at(base::Pc(instruction)))
    out = Address::either(out, Address::unknown());
  if (found.definitions.empty() && out.base == Base::kNothing) out = Address::number();
  return out;
}

Address Accesses::result(std::uint32_t i, isa::RegId reg) {
  const Instruction& instruction = kernel_.code[i];
  const bool wide = reg >= kernel_.registers.rows32;
  if (instruction.op == Opcode::kCall) return Address::unknown();
  if (instruction.op == Opcode::kLoad && instruction.space == StateSpace::kParam &&
      !instruction.memory.base.present && wide) {
    const auto at = static_cast<std::uint64_t>(instruction.memory.displacement);
    for (const isa::Param& param : kernel_.params)
      if (at >= param.offset && at < param.offset + param.bytes)
        // An element of a structure counts as a separate pointer.
        return {.base = Base::kParam, .start = at, .offset = 0, .stride = 0};
  }
  const bool lanes = instruction.op == Opcode::kLane || instruction.op == Opcode::kWarpSync;
  if (!lanes) return wide ? Address::unknown() : Address::number();
  const auto source = [&](unsigned s) { return operand(i, instruction.src[s]); };
  switch (meaning_of(instruction)) {
    case Meaning::kMove:
      return source(0);
    case Meaning::kAdd:
    case Meaning::kSub: {
      const bool subtract = meaning_of(instruction) == Meaning::kSub;
      // cvta adds or subtracts a window base: the variable remains the same.
      if (instruction.src[1].space == RowSpace::kConstant) {
        const Address constant = source(1);
        const auto value = static_cast<std::uint64_t>(constant.offset);
        if (constant.base == Base::kNumber &&
            (value == isa::kSharedWindowBase || value == isa::kLocalWindowBase))
          return source(0);
      }
      return Address::sum(source(0), source(1), subtract);
    }
    case Meaning::kMultiply:
      return product(source(0), source(1));
    case Meaning::kMultiplyAdd:
      return Address::sum(product(source(0), source(1)), source(2), false);
    case Meaning::kShiftLeft: {
      Address power = source(1);
      if (power.base == Base::kNumber && power.stride == 0 && power.offset >= 0 && power.offset < 63)
        power.offset = std::int64_t{1} << power.offset;
      else
        power = Address::number();
      return product(source(0), power);
    }
    case Meaning::kSelect:
      return Address::either(source(0), source(1));
    case Meaning::kOther:
      break;
  }
  // Anything else: a number if it is computed from numbers only. Packed halves may form a pointer.
  const auto pack = [] {
    isa::LaneSpec spec;
    spec.op = LaneOp::kPack2x32;
    spec.type = Type::kB64;
    return isa::find_lane_fn(spec);
  };
  if (wide && instruction.lane_fn == pack()) return Address::unknown();
  Address out = Address::number();
  for (const Operand& from : instruction.src)
    if (from.present && operand(i, from).base != Base::kNumber)
      out = operand(i, from).base == Base::kNothing ? out : Address::unknown();
  return out;
}

Access Accesses::access_of(std::uint32_t i) {
  const Instruction& instruction = kernel_.code[i];
  Access access;
  access.instruction = i;
  access.reads = instruction.op != Opcode::kStore;
  access.writes = instruction.op != Opcode::kLoad;
  access.space = instruction.space;
  access.bytes = isa::type_bytes(instruction.type) * instruction.vector;
  Address displacement{.base = Base::kNumber, .offset = instruction.memory.displacement};
  if (instruction.memory.base.present) {
    // Pointers in two rows are not followed.
    access.address = instruction.memory.composed()
                         ? Address::unknown()
                         : Address::sum(operand(i, instruction.memory.base), displacement, false);
  } else {
    const auto value = static_cast<std::uint64_t>(displacement.offset);
    access.address = displacement;
    if (const isa::VariableUse* use = variable_of(i)) {
      const std::uint64_t window = instruction.space != StateSpace::kGeneric ? 0
                                   : use->space == StateSpace::kShared       ? isa::kSharedWindowBase
                                   : use->space == StateSpace::kLocal        ? isa::kLocalWindowBase
                                                                             : 0;
      access.address = {.base = Base::kVariable,
                        .space = use->space,
                        .start = use->start,
                        .offset = static_cast<std::int64_t>(value - window - use->start),
                        .stride = 0};
    }
  }
  // A generic address of a known variable belongs to that variable's space.
  if (access.space == StateSpace::kGeneric && access.address.base == Base::kVariable)
    access.space = access.address.space == StateSpace::kConst ? StateSpace::kGlobal : access.address.space;
  if (access.address.base == Base::kNothing) access.address = Address::unknown();
  return access;
}

bool may_alias(const Access& a, const Access& b, const AliasOptions& options) {
  if (a.space != b.space && a.space != StateSpace::kGeneric && b.space != StateSpace::kGeneric) return false;
  const Address& x = a.address;
  const Address& y = b.address;
  const auto is = [](const Address& address, Base base) { return address.base == base; };
  const bool known_x = is(x, Base::kVariable) || is(x, Base::kParam);
  const bool known_y = is(y, Base::kVariable) || is(y, Base::kParam);
  if (!known_x || !known_y) return true;
  if (x.base != y.base) return options.params_may_alias;  // a variable's address may be an argument
  if (x.start != y.start || x.space != y.space) return is(x, Base::kParam) && options.params_may_alias;
  const std::uint64_t stride = wrapping(std::gcd(x.stride, y.stride));
  const auto apart = wrapping_sum(x.offset, y.offset, true);
  if (stride == 0)
    return apart < static_cast<std::int64_t>(b.bytes) && -apart < static_cast<std::int64_t>(a.bytes);
  if (a.bytes >= stride || b.bytes >= stride) return true;
  // Modulo the stride: x starts within y, or y within x.
  const auto ahead = static_cast<std::uint64_t>(reduced(apart, stride));
  return ahead < b.bytes || stride - ahead < a.bytes;
}

}  // namespace heddle::analysis
