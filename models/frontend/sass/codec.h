// How an operand's parts lie in a word, said once for both directions: a Reader takes them out of a word, a Writer puts
// them in. Only for decode.cpp.
#pragma once

#include "frontend/sass/form.h"

namespace heddle::sass::codec {

/// Notes which bits it has read, so that the others can be reported.
class Reader {
 public:
  explicit Reader(Word word) : word_(word) {}
  void raw(Field field, std::uint64_t& value) {
    value = word_.get(field);
    known_.set(field, ~std::uint64_t{0});
  }
  /// A bit that must be set.
  void require(unsigned at) {
    known_.set(at, 1, 1);
    if (word_.get(at, 1) == 0) missing_ = at;
  }
  /// Those of the field's bits that nothing has read.
  void rest(Field field, std::uint64_t& value) {
    value = unknown().get(field);
    known_.set(field, ~std::uint64_t{0});
  }
  [[nodiscard]] unsigned missing() const { return missing_; }  ///< 0: none
  [[nodiscard]] Word unknown() const { return {word_.low & ~known_.low, word_.high & ~known_.high}; }

 private:
  Word word_;
  Word known_;
  unsigned missing_ = 0;
};

class Writer {
 public:
  void raw(Field field, std::uint64_t& value) { word_.set(field, value); }
  void require(unsigned at) { word_.set(at, 1, 1); }
  void rest(Field field, std::uint64_t& value) { word_.set(field, word_.get(field) | value); }
  [[nodiscard]] Word word() const { return word_; }

 private:
  Word word_;
};

template <class Codec>
void number(Codec& codec, Field field, std::uint8_t& value) {
  std::uint64_t raw = value;
  codec.raw(field, raw);
  value = static_cast<std::uint8_t>(raw);
}
template <class Codec>
void flag(Codec& codec, unsigned at, bool& value) {
  std::uint64_t raw = value ? 1 : 0;
  codec.raw({static_cast<std::uint8_t>(at), 1}, raw);
  value = raw != 0;
}
template <class Codec>
void integer(Codec& codec, Field field, std::int64_t& value, bool is_signed, std::int64_t unit = 1) {
  auto raw = static_cast<std::uint64_t>(value / unit);
  codec.raw(field, raw);
  value = (is_signed ? sign_extend(raw, field.bits()) : static_cast<std::int64_t>(raw)) * unit;
}

/// Set if a source is a uniform register.
inline constexpr unsigned kUniformSource = 91;

/// A source of an arithmetic operation in one of its operand forms.
struct Slot {
  enum class Content : std::uint8_t { kRegister, kUniform, kImmediate, kConstant } content;
  unsigned at;      ///< first bit
  unsigned negate;  ///< bits of its modifiers
  unsigned absolute;
  unsigned half;  ///< lower of two bits
  unsigned reuse;
};

[[nodiscard]] constexpr Slot slot_of(Source source, unsigned form, bool packed) {
  using Content = Slot::Content;
  if (source == Source::kSlotA) return {Content::kRegister, 24, 72, 73, 74, 122};
  const bool is_b = source == Source::kSlotB;
  const unsigned reuse = is_b ? 123 : 124;
  const bool swapped = form == 2 || form == 3 || form == 7;  // C is in bits 32-63
  if (source != Source::kAddend && is_b == swapped)
    return {Content::kRegister, 64, packed ? 84u : 75u, packed ? 83u : 74u, 81, reuse};
  constexpr Content kByForm[] = {Content::kRegister, Content::kRegister,  Content::kImmediate,
                                 Content::kConstant, Content::kImmediate, Content::kConstant,
                                 Content::kUniform,  Content::kUniform};
  return {kByForm[form & 7], 32, 63, 62, 60, reuse};
}

template <class Codec>
void slot(Codec& codec, const OperandSpec& spec, unsigned form, bool uniform, Operand& operand) {
  using Kind = Operand::Kind;
  const Slot slot = slot_of(spec.source, form, spec.sign == Sign::kHalf);
  const auto at = static_cast<std::uint8_t>(slot.at);
  switch (slot.content) {
    case Slot::Content::kImmediate:
      operand.kind = Kind::kImmediate;
      integer(codec, {32, 32}, operand.value, spec.style == Style::kSigned);
      return;
    case Slot::Content::kConstant: {
      operand.kind = Kind::kConstant;
      bool bindless = operand.uniform != kNoRegister;
      flag(codec, kUniformSource, bindless);
      if (bindless)
        number(codec, {32, 6}, operand.uniform);
      else
        number(codec, {54, 5}, operand.bank);
      operand.number = kRz;
      integer(codec, {38, 16}, operand.value, false);
      break;
    }
    case Slot::Content::kUniform: {
      operand.kind = Kind::kUniformRegister;
      number(codec, {at, 6}, operand.number);
      codec.require(kUniformSource);
      break;
    }
    case Slot::Content::kRegister:
      operand.kind = uniform ? Kind::kUniformRegister : Kind::kRegister;
      if (uniform)
        codec.require(kUniformSource);
      else
        flag(codec, slot.reuse, operand.reuse);
      number(codec, {at, static_cast<std::uint8_t>(uniform ? 6 : 8)}, operand.number);
      break;
  }
  if (spec.sign != Sign::kNone) flag(codec, slot.negate, operand.negate);
  if (spec.sign == Sign::kNegateAbsolute || spec.sign == Sign::kHalf)
    flag(codec, slot.absolute, operand.absolute);
  if (spec.sign == Sign::kHalf) number(codec, {static_cast<std::uint8_t>(slot.half), 2}, operand.half);
  if (spec.half.width != 0) number(codec, spec.half, operand.half);
}

template <class Codec>
void address(Codec& codec, const OperandSpec& spec, Operand& operand) {
  const AddressBits& bits = spec.address;
  operand.kind = Operand::Kind::kAddress;
  operand.descriptor = bits.descriptor;
  number(codec, spec.field, operand.number);
  integer(codec, bits.offset, operand.value, true);
  if (bits.scale != 0) number(codec, {bits.scale, 2}, operand.scale);
  if (bits.uniform == 0) return;
  bool has_uniform = operand.uniform != kNoRegister;
  flag(codec, kUniformSource, has_uniform);
  if (!has_uniform) return;
  number(codec, {bits.uniform, 6}, operand.uniform);
  if (bits.wide != 0) flag(codec, bits.wide, operand.wide);
}

template <class Codec>
void constant(Codec& codec, const OperandSpec& spec, Operand& operand) {
  operand.kind = Operand::Kind::kConstant;
  number(codec, {54, 5}, operand.bank);
  integer(codec, {38, 16}, operand.value, spec.field.width != 0);
  if (spec.source == Source::kConstant) {
    number(codec, spec.field, operand.number);
  } else {
    operand.number = kRz;
    if (spec.field.width != 0) number(codec, spec.field, operand.uniform);
  }
}

template <class Codec>
void operand(Codec& codec, const OperandSpec& spec, unsigned form, bool uniform, Operand& operand) {
  using Kind = Operand::Kind;
  operand.role = spec.role;
  const auto numbered = [&](Kind kind) {
    operand.kind = kind;
    number(codec, spec.field, operand.number);
  };
  switch (spec.source) {
    case Source::kNothing:
      return;
    case Source::kRegister:
    case Source::kUniformRegister:
      numbered(spec.source == Source::kRegister ? Kind::kRegister : Kind::kUniformRegister);
      if (spec.reuse != 0) flag(codec, spec.reuse, operand.reuse);
      if (spec.half.width != 0) number(codec, spec.half, operand.half);
      return;
    case Source::kPredicate:
    case Source::kUniformPredicate:
    case Source::kEitherPredicate:
    case Source::kInversePredicate: {
      bool is_uniform = spec.source == Source::kUniformPredicate || operand.kind == Kind::kUniformPredicate;
      std::uint8_t raw = spec.source == Source::kInversePredicate
                             ? static_cast<std::uint8_t>(kPt - operand.number)
                             : operand.number;
      if (spec.source == Source::kEitherPredicate) flag(codec, spec.field.at - 1u, is_uniform);
      operand.kind = is_uniform ? Kind::kUniformPredicate : Kind::kPredicate;
      number(codec, spec.field, raw);
      operand.number = spec.source == Source::kInversePredicate ? static_cast<std::uint8_t>(kPt - raw) : raw;
      if (spec.negate != 0) flag(codec, spec.negate, operand.negate);
      return;
    }
    case Source::kPredicates:
      operand.kind = Kind::kPredicates;
      return;
    case Source::kBarrier:
      return numbered(Kind::kBarrier);
    case Source::kReturnPc:
      return numbered(Kind::kReturnPc);
    case Source::kScoreboard:
      return numbered(Kind::kScoreboard);
    case Source::kScoreboards:
      operand.kind = Kind::kScoreboards;
      return integer(codec, spec.field, operand.value, false);
    case Source::kSpecialRegister:
      operand.kind = Kind::kSpecialRegister;
      return integer(codec, spec.field, operand.value, false);
    case Source::kImmediate:
      operand.kind = Kind::kImmediate;
      return integer(codec, spec.field, operand.value, spec.style == Style::kSigned);
    case Source::kSlotA:
    case Source::kSlotB:
    case Source::kSlotC:
    case Source::kAddend:
      return slot(codec, spec, form, uniform, operand);
    case Source::kConstant:
    case Source::kUniformConstant:
      return constant(codec, spec, operand);
    case Source::kConstantWord:
      operand.kind = Kind::kConstant;
      operand.number = kRz;
      number(codec, {54, 5}, operand.bank);
      flag(codec, spec.reuse, operand.reuse);
      return integer(codec, {40, 14}, operand.value, false, 4);
    case Source::kAddress:
      return address(codec, spec, operand);
    case Source::kUniformAddress:
      operand.kind = Kind::kAddress;
      operand.number = kRz;
      number(codec, spec.field, operand.uniform);
      return integer(codec, spec.address.offset, operand.value, true);
    case Source::kTarget:
      operand.kind = Kind::kTarget;
      return integer(codec, spec.field, operand.value, true, 4);
    case Source::kAbsoluteTarget:
      operand.kind = Kind::kAbsoluteTarget;
      return integer(codec, spec.field, operand.value, false, 4);
  }
}

template <class Codec>
void control(Codec& codec, Control& control) {
  number(codec, {105, 4}, control.stall);
  flag(codec, 109, control.yield);
  number(codec, {110, 3}, control.write_barrier);
  number(codec, {113, 3}, control.read_barrier);
  number(codec, {116, 6}, control.wait_mask);
}

/// Reuse flags of what is no register, which code of libraries has. Behind the operands, which read their own.
template <class Codec>
void idle_reuse(Codec& codec, Control& control) {
  std::uint64_t raw = control.idle_reuse;
  codec.rest({122, 3}, raw);
  control.idle_reuse = static_cast<std::uint8_t>(raw);
}

}  // namespace heddle::sass::codec
