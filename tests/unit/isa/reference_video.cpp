// Video instructions, written from the pseudo-code of the PTX ISA (partSelectSignExtend, optSaturate,
// optSecOp, optMerge; extractAndSignExt_2 and _4), with the control word read bit by bit.
#include "isa/video.h"
#include "unit/isa/reference.h"

namespace heddle::isa::test {
namespace {

std::uint64_t bits(std::uint64_t word, unsigned first, unsigned count) {
  return (word >> first) & ((std::uint64_t{1} << count) - 1);
}

Wide part(std::uint64_t word, unsigned first, unsigned count, bool is_signed_value) {
  Wide value = 0;
  for (unsigned i = 0; i < count; ++i) value += Wide{bits(word, first + i, 1) != 0} << i;
  const bool negative = is_signed_value && bits(word, first + count - 1, 1) != 0;
  return negative ? value - (Wide{1} << count) : value;
}

/// CLAMP to S8_MIN .. S8_MAX, U16_MIN .. U16_MAX ...
Wide clamp(Wide value, unsigned count, bool is_signed_value) {
  Wide most = 0;
  for (unsigned i = 0; i + (is_signed_value ? 1 : 0) < count; ++i) most = 2 * most + 1;
  const Wide least = is_signed_value ? -most - 1 : 0;
  if (value > most) return most;
  return value < least ? least : value;
}

bool compare(unsigned how, Wide a, Wide b) {
  const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
  return how < 6 ? results[how] : a >= b;
}

Wide operation(std::uint64_t control, Wide a, Wide b) {
  switch (bits(control, 46, 3)) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a - b < 0 ? -(a - b) : a - b;
    case 3:
      return a < b ? a : b;
    case 4:
      return a < b ? b : a;
    case 5:  // ">> 1" of the manual is a division that rounds down
      if (a + b >= 0) return (a + b + 1) / 2;
      return (a + b) % 2 == 0 ? (a + b) / 2 : (a + b - 1) / 2;
    default:
      return compare(static_cast<unsigned>(bits(control, 43, 3)), a, b) ? 1 : 0;
  }
}

struct Part {
  unsigned first;
  unsigned count;
};
Part part_numbered(std::uint64_t number) {
  constexpr Part kParts[] = {{0, 8}, {8, 8}, {16, 8}, {24, 8}, {0, 16}, {16, 16}};
  return number < 6 ? kParts[number] : Part{0, 32};
}

std::uint64_t second(std::uint64_t control, Wide value, std::uint64_t word_c) {
  const bool is_signed_value = bits(control, 38, 1) != 0;
  const Part into = part_numbered(bits(control, 32, 4));
  if (bits(control, 39, 1) != 0) value = clamp(value, into.count, is_signed_value);
  const Wide c = part(word_c, 0, 32, is_signed_value);
  // "The sign of the intermediate result depends on dtype": without one, the upper bits of a negative number are a number's.
  if (!is_signed_value && value < 0) value += Wide{1} << 80;
  switch (bits(control, 40, 3)) {
    case 0:
      return cell(value, 32);
    case 1:
      return cell(value + c, 32);
    case 2:
      return cell(value < c ? value : c, 32);
    case 3:
      return cell(value > c ? value : c, 32);
    default: {
      std::uint64_t merged = 0;
      for (unsigned i = 0; i < 32; ++i) {
        const bool inside = i >= into.first && i < into.first + into.count;
        merged |= (inside ? bits(cell(value, 64), i - into.first, 1) : bits(word_c, i, 1)) << i;
      }
      return merged;
    }
  }
}

std::uint64_t simd(std::uint64_t control, unsigned width, const std::array<std::uint64_t, 4>& in) {
  const unsigned lanes = 32 / width;
  const std::uint64_t source[2] = {in[0], in[1]};
  Wide sum = static_cast<Wide>(in[2]);
  std::uint64_t merged = in[2];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const auto pick = [&](unsigned first, unsigned sign) {
      const auto number = static_cast<unsigned>(bits(control, first + 4 * lane, width == 8 ? 3 : 2));
      return part(source[number / lanes], number % lanes * width, width, bits(control, sign, 1) != 0);
    };
    Wide value = operation(control, pick(0, 36), pick(16, 37));
    if (bits(control, 39, 1) != 0) value = clamp(value, width, bits(control, 38, 1) != 0);
    if (bits(control, 32 + lane, 1) == 0) continue;
    sum += value;
    for (unsigned i = 0; i < width; ++i) {
      const std::uint64_t one = std::uint64_t{1} << (lane * width + i);
      merged = bits(cell(value, 64), i, 1) != 0 ? merged | one : merged & ~one;
    }
  }
  return bits(control, 40, 3) == 1 ? cell(sum, 32) : merged;
}

std::uint64_t shift(std::uint64_t control, Wide a, Wide b, std::uint64_t c) {
  if (bits(control, 50, 1) != 0)
    b %= 32;
  else if (b > 32)
    b = 32;
  for (Wide i = 0; i < b; ++i) {
    if (bits(control, 49, 1) == 0)
      a = 2 * a;
    else
      a = a < 0 && a % 2 != 0 ? (a - 1) / 2 : a / 2;
  }
  return second(control, a, c);
}

std::uint64_t mad(std::uint64_t control, Wide a, Wide b, std::uint64_t word_c) {
  const bool minus_product = bits(control, 52, 1) != 0;
  const bool minus_c = bits(control, 53, 1) != 0;
  const bool is_signed_value =
      bits(control, 36, 1) != 0 || bits(control, 37, 1) != 0 || minus_product || minus_c;
  Wide sum = minus_product ? -1 - a * b : a * b;  // the complement ...
  Wide lsb = minus_product ? 1 : 0;               // ... and one
  if (minus_c) ++lsb;
  if (bits(control, 51, 1) != 0) ++lsb;
  sum += part(minus_c ? ~word_c : word_c, 0, 32, is_signed_value) + lsb;
  const unsigned scale[] = {0, 7, 15, 15};
  for (unsigned i = 0; i < scale[bits(control, 54, 2)]; ++i)
    sum = sum < 0 && sum % 2 != 0 ? (sum - 1) / 2 : sum / 2;
  if (bits(control, 39, 1) != 0) sum = clamp(sum, 32, is_signed_value);
  return cell(sum, 32);
}

}  // namespace

std::optional<Expected> video_lane(const LaneSpec& spec, const std::array<std::uint64_t, 4>& in,
                                   std::uint64_t control) {
  const Part a = part_numbered(bits(control, 0, 4));
  const Part b = part_numbered(bits(control, 16, 4));
  const Wide value_a = part(in[0], a.first, a.count, bits(control, 36, 1) != 0);
  const Wide value_b = part(in[1], b.first, b.count, bits(control, 37, 1) != 0);
  switch (spec.op) {
    case LaneOp::kVideo:
      if (spec.type == Type::kU32)
        return Expected{second(control, operation(control, value_a, value_b), in[2])};
      return Expected{simd(control, bits_of(spec.type), in)};
    case LaneOp::kVideoShift:
      return Expected{shift(control, value_a, part(in[1], b.first, b.count, false), in[2])};
    case LaneOp::kVideoMad:
      return Expected{mad(control, value_a, value_b, in[2])};
    default:
      return std::nullopt;
  }
}

}  // namespace heddle::isa::test
