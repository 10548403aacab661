// Video instructions: fields of the operands are extended to exact numbers, combined, clamped, and go into the
// result on their own, with c, or in place of a field of c.
#include <algorithm>
#include <memory>
#include <string>

#include "oracle/bits.h"
#include "oracle/builder.h"
#include "oracle/integer.h"

namespace heddle::oracle {

namespace {

using Field = Video::Field;
using Operation = Video::Operation;
using Second = Video::Second;

Int128 number(std::uint64_t bits, Field field, Type type) {
  const std::uint64_t cut = (bits >> field.at) & low_bits(field.width);
  const bool negative = isa::is_signed(type) && ((cut >> (field.width - 1)) & 1) != 0;
  return negative ? Int128{cut} - (Int128{1} << field.width) : Int128{cut};
}

Int128 limited(Int128 value, unsigned width, Type type) {
  const bool is_signed = isa::is_signed(type);
  const Int128 above = Int128{1} << (is_signed ? width - 1 : width);
  return std::clamp<Int128>(value, is_signed ? -above : 0, above - 1);
}

bool holds(Compare compare, Int128 a, Int128 b) {
  switch (compare) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return a != b;
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

Int128 combine(const Step& step, Int128 a, Int128 b) {
  const Int128 sum = a + b;
  const auto amount = static_cast<unsigned>(step.video->wraps ? b % 32 : std::min<Int128>(b, 32));
  switch (step.video->operation) {
    case Operation::kAdd:
      return sum;
    case Operation::kSubtract:
      return a - b;
    case Operation::kDistance:
      return std::max(a, b) - std::min(a, b);
    case Operation::kMinimum:
      return std::min(a, b);
    case Operation::kMaximum:
      return std::max(a, b);
    case Operation::kAverage:
      return sum >= 0 ? (sum + 1) / 2 : sum >> 1;
    case Operation::kCompare:
      return holds(step.compare, a, b) ? 1 : 0;
    case Operation::kShiftLeft:
      return a * (Int128{1} << amount);
    case Operation::kShiftRight:
      return a >> amount;
  }
  return 0;
}

std::uint64_t replaced(std::uint64_t in, Field field, Int128 value) {
  const std::uint64_t hole = low_bits(field.width) << field.at;
  return (in & ~hole) | ((static_cast<std::uint64_t>(value) & low_bits(field.width)) << field.at);
}

/// An intermediate result beside c: its sign is that of the destination's type (PTX ISA, scalar video instructions). The most
/// negative one, of a shift, has 64 bits.
Int128 compared(Int128 value, Type type) {
  return value < 0 && !isa::is_signed(type) ? value + (Int128{1} << 65) : value;
}

std::uint64_t one_part(const Step& step, Inputs in) {
  const Video& video = *step.video;
  Int128 value =
      combine(step, number(in[0], video.from_a[0], step.from), number(in[1], video.from_b[0], video.b));
  if (step.sat) value = limited(value, video.into.width, step.type);
  const Int128 c = number(in[2], {0, 32}, step.type);
  switch (video.second) {
    case Second::kNone:
      return replaced(in[2], video.into, value);
    case Second::kAdd:
      value += c;
      break;
    case Second::kMinimum:
      value = std::min(compared(value, step.type), c);
      break;
    case Second::kMaximum:
      value = std::max(compared(value, step.type), c);
      break;
  }
  return static_cast<std::uint64_t>(value) & low_bits(32);
}

std::uint64_t lanes(const Step& step, Inputs in) {
  const Video& video = *step.video;
  const std::uint64_t both = in[1] << 32 | in[0];
  std::uint64_t result = in[2];
  for (std::size_t lane = 0; lane < video.used.size(); ++lane) {
    if (!video.used[lane]) continue;
    const unsigned width = video.from_a[lane].width;
    Int128 value =
        combine(step, number(both, video.from_a[lane], step.from), number(both, video.from_b[lane], video.b));
    if (step.sat) value = limited(value, width, step.type);
    result = video.second == Second::kAdd
                 ? result + static_cast<std::uint64_t>(value)
                 : replaced(result, {static_cast<unsigned>(lane) * width, width}, value);
  }
  return result & low_bits(32);
}

std::uint64_t multiply_add(const Step& step, Inputs in) {
  const Video& video = *step.video;
  const bool is_signed =
      isa::is_signed(step.from) || isa::is_signed(video.b) || video.negative_product || video.negative_addend;
  const Type final_type = is_signed ? Type::kS32 : Type::kU32;
  Int128 sum = number(in[0], video.from_a[0], step.from) * number(in[1], video.from_b[0], video.b);
  if (video.negative_product) sum = -sum;
  // Complement and one, as the manual writes it: of the 32 bits, which are then extended.
  if (video.negative_addend)
    sum += number(~in[2] & low_bits(32), {0, 32}, Type::kS32) + 1;
  else
    sum += number(in[2], {0, 32}, final_type);
  if (video.plus_one) ++sum;
  sum >>= video.scale;
  if (step.sat) sum = limited(sum, 32, final_type);
  return static_cast<std::uint64_t>(sum) & low_bits(32);
}

// --- translation

/// An operand's register and the selector behind it.
struct Selected {
  ptx::Operand operand;
  std::string selector;
};
Selected selected(Builder& b, std::size_t index) {
  Selected result{b.operand(index), {}};
  const auto* reg = std::get_if<ptx::RegisterName>(&result.operand.value);
  if (reg == nullptr || b.is_register(result.operand)) return result;
  const std::size_t dot = reg->name.rfind('.');
  if (dot == std::string::npos) return result;
  result.selector = reg->name.substr(dot + 1);
  result.operand.value = ptx::RegisterName{reg->name.substr(0, dot)};
  return result;
}

Field field_named(Builder& b, const std::string& selector) {
  if (selector.empty()) return {};
  if (selector.size() != 2) b.fail("'" + selector + "' selects no part");
  const auto at = static_cast<unsigned>(selector[1] - '0');
  const unsigned width = selector[0] == 'b' ? 8 : 16;
  if ((selector[0] != 'b' && selector[0] != 'h') || (at + 1) * width > 32)
    b.fail("'" + selector + "' selects no part");
  return {at * width, width};
}

void take_types(Builder& b, Video& video) {
  b.step.type = b.take_type();
  b.step.from = b.take_type();
  video.b = b.take_type();
  for (const Type type : {b.step.type, b.step.from, video.b})
    if (type != Type::kU32 && type != Type::kS32) b.refuse();
}
void take_types_of_compare(Builder& b, Video& video) {
  b.step.type = Type::kU32;
  b.step.from = b.take_type();
  video.b = b.take_type();
  for (const Type type : {b.step.from, video.b})
    if (type != Type::kU32 && type != Type::kS32) b.refuse();
  const auto compare = b.take_choice<Compare>({{"eq", Compare::kEq},
                                               {"ne", Compare::kNe},
                                               {"lt", Compare::kLt},
                                               {"le", Compare::kLe},
                                               {"gt", Compare::kGt},
                                               {"ge", Compare::kGe}});
  if (!compare) b.refuse();
  b.step.compare = *compare;
}

void keep(Builder& b, Video video, Eval eval) {
  auto& videos = b.around().program.videos;
  videos.push_back(std::make_unique<const Video>(std::move(video)));
  b.step.video = videos.back().get();
  b.step.eval = eval;
}

void take_operands(Builder& b, const std::array<Selected, 4>& operands, const Video& video, bool has_c) {
  b.target(operands[0].operand, b.step.type);
  b.source(operands[1].operand, b.step.from);
  b.source(operands[2].operand, video.b);
  if (has_c)
    b.source(operands[3].operand, b.step.type);
  else
    b.constant_source(0);
  if (!operands[3].selector.empty()) b.fail("the last operand of '" + b.opcode() + "' has no selector");
}

std::array<Selected, 4> all_selected(Builder& b) {
  std::array<Selected, 4> operands;
  for (std::size_t i = 0; i < b.operands() && i < operands.size(); ++i) operands[i] = selected(b, i);
  return operands;
}

template <Operation kOperation>
void scalar(Builder& b) {
  Video video;
  video.operation = kOperation;
  constexpr bool kShifts = kOperation == Operation::kShiftLeft || kOperation == Operation::kShiftRight;
  if (kOperation == Operation::kCompare)
    take_types_of_compare(b, video);
  else
    take_types(b, video);
  if (kShifts) {
    video.wraps = b.take("wrap");
    if (video.b != Type::kU32 || (!video.wraps && !b.take("clamp"))) b.refuse();
  }
  b.step.sat = kOperation != Operation::kCompare && b.take("sat");
  video.second =
      b.take_choice<Second>({{"add", Second::kAdd}, {"min", Second::kMinimum}, {"max", Second::kMaximum}})
          .value_or(Second::kNone);
  b.expect_operands(3, 4);
  const bool has_c = b.operands() == 4;
  const std::array<Selected, 4> operands = all_selected(b);
  video.into = field_named(b, operands[0].selector);
  video.from_a = {field_named(b, operands[1].selector)};
  video.from_b = {field_named(b, operands[2].selector)};
  const bool merges = video.into.width != 32;
  if ((merges || video.second != Second::kNone) && !has_c) b.fail("'" + b.opcode() + "' needs an operand c");
  if (merges && video.second != Second::kNone) b.refuse();
  take_operands(b, operands, video, has_c);
  keep(b, std::move(video), one_part);
}

/// Fields of b:a by the digits of ".b7654", of which the last is lane 0.
std::vector<Field> lane_fields(Builder& b, const std::string& selector, unsigned count, unsigned first) {
  const unsigned width = 32 / count;
  std::vector<Field> fields;
  if (!selector.empty() && (selector.size() != count + 1 || selector[0] != (count == 4 ? 'b' : 'h')))
    b.fail("'" + selector + "' does not select " + std::to_string(count) + " parts");
  for (unsigned lane = 0; lane < count; ++lane) {
    const unsigned digit =
        selector.empty() ? first + lane : static_cast<unsigned>(selector[count - lane] - '0');
    if (digit >= 2 * count) b.fail("'" + selector + "' selects a part that does not exist");
    fields.push_back({digit * width, width});
  }
  return fields;
}

template <Operation kOperation, unsigned kLanes>
void simd(Builder& b) {
  Video video;
  video.operation = kOperation;
  if (kOperation == Operation::kCompare)
    take_types_of_compare(b, video);
  else
    take_types(b, video);
  b.step.sat = kOperation != Operation::kCompare && b.take("sat");
  if (b.take("add")) video.second = Second::kAdd;
  if (b.step.sat && video.second == Second::kAdd) b.refuse();
  b.expect_operands(4, 4);
  const std::array<Selected, 4> operands = all_selected(b);
  video.from_a = lane_fields(b, operands[1].selector, kLanes, 0);
  video.from_b = lane_fields(b, operands[2].selector, kLanes, kLanes);
  const std::string& mask = operands[0].selector;
  video.used.assign(kLanes, mask.empty());
  for (std::size_t i = 1; i < mask.size(); ++i) {
    const auto lane = static_cast<unsigned>(mask[i] - '0');
    if (mask[0] != (kLanes == 4 ? 'b' : 'h') || lane >= kLanes || video.used[lane])
      b.fail("'" + mask + "' is no mask of lanes");
    video.used[lane] = true;
  }
  take_operands(b, operands, video, true);
  keep(b, std::move(video), lanes);
}

void multiply(Builder& b) {
  Video video;
  take_types(b, video);
  b.step.sat = b.take("sat");
  video.plus_one = b.take("po");
  video.scale = b.take_choice<unsigned>({{"shr7", 7}, {"shr15", 15}}).value_or(0);
  b.expect_operands(4, 4);
  std::array<Selected, 4> operands = all_selected(b);
  if (!operands[0].selector.empty() || operands[0].operand.minus)
    b.fail("the result of 'vmad' is a whole register");
  video.negative_product = operands[1].operand.minus != operands[2].operand.minus;
  video.negative_addend = operands[3].operand.minus;
  if (video.negative_product && video.negative_addend) b.refuse();
  const bool any = operands[1].operand.minus || operands[2].operand.minus || operands[3].operand.minus;
  if (video.plus_one && any) b.refuse();
  video.from_a = {field_named(b, operands[1].selector)};
  video.from_b = {field_named(b, operands[2].selector)};
  take_operands(b, operands, video, true);
  keep(b, std::move(video), multiply_add);
}

// --- two integers of 16 bits

template <Operation kOperation, class T, bool kRelu>
std::uint64_t two(const Step&, Inputs in) {
  std::uint64_t result = 0;
  for (unsigned at = 0; at < 32; at += 16) {
    const auto a = static_cast<T>(in[0] >> at), c = static_cast<T>(in[1] >> at);
    const int sum = a + c;
    int value = kOperation == Operation::kAdd       ? sum
                : kOperation == Operation::kMinimum ? std::min(a, c)
                                                    : std::max(a, c);
    if (kRelu && value < 0) value = 0;
    result |= (static_cast<std::uint64_t>(value) & low_bits(16)) << at;
  }
  return result;
}

template <Operation kOperation>
void packed(Builder& b) {
  const bool is_signed = b.take("s16x2");
  if (!is_signed && !b.take("u16x2")) b.refuse();
  const bool relu = kOperation != Operation::kAdd && is_signed && b.take("relu");
  b.step.type = Type::kB32;
  b.uniform_operands(2);
  b.step.eval = relu        ? two<kOperation, std::int16_t, true>
                : is_signed ? two<kOperation, std::int16_t, false>
                            : two<kOperation, std::uint16_t, false>;
}

}  // namespace

Handlers packed_handlers() {
  return {{"add", packed<Operation::kAdd>},
          {"min", packed<Operation::kMinimum>},
          {"max", packed<Operation::kMaximum>}};
}

Handlers video_handlers() {
  return {{"vadd", scalar<Operation::kAdd>},
          {"vsub", scalar<Operation::kSubtract>},
          {"vabsdiff", scalar<Operation::kDistance>},
          {"vmin", scalar<Operation::kMinimum>},
          {"vmax", scalar<Operation::kMaximum>},
          {"vset", scalar<Operation::kCompare>},
          {"vshl", scalar<Operation::kShiftLeft>},
          {"vshr", scalar<Operation::kShiftRight>},
          {"vmad", multiply},
          {"vadd2", simd<Operation::kAdd, 2>},
          {"vsub2", simd<Operation::kSubtract, 2>},
          {"vavrg2", simd<Operation::kAverage, 2>},
          {"vabsdiff2", simd<Operation::kDistance, 2>},
          {"vmin2", simd<Operation::kMinimum, 2>},
          {"vmax2", simd<Operation::kMaximum, 2>},
          {"vset2", simd<Operation::kCompare, 2>},
          {"vadd4", simd<Operation::kAdd, 4>},
          {"vsub4", simd<Operation::kSubtract, 4>},
          {"vavrg4", simd<Operation::kAverage, 4>},
          {"vabsdiff4", simd<Operation::kDistance, 4>},
          {"vmin4", simd<Operation::kMinimum, 4>},
          {"vmax4", simd<Operation::kMaximum, 4>},
          {"vset4", simd<Operation::kCompare, 4>}};
}

}  // namespace heddle::oracle
