// Video instructions: the parts that their operands select (r.b0, r.h32), and everything else that the lane
// function is told (isa/video.h).
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"
#include "frontend/ptx/diagnostic.h"
#include "isa/video.h"

namespace heddle::ptx {
namespace {

using isa::VideoControl;
using isa::VideoPart;
using isa::VideoSecond;

/// An operand without its selector.
struct Selected {
  Operand operand;
  std::string selector;  ///< "b0", "h32"; empty: none
};

Selected take_selector(KernelContext& kernel, const Operand& operand) {
  Selected selected{operand, {}};
  const auto* reg = std::get_if<RegisterName>(&operand.value);
  if (reg == nullptr || kernel.scopes.find(reg->name) != nullptr) return selected;
  const std::size_t dot = reg->name.rfind('.');
  if (dot == std::string::npos || dot + 1 == reg->name.size()) return selected;
  const char kind = reg->name[dot + 1];
  const bool digits = std::all_of(reg->name.begin() + static_cast<std::ptrdiff_t>(dot) + 2, reg->name.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  if ((kind != 'b' && kind != 'h') || !digits || dot + 2 == reg->name.size()) return selected;
  selected.selector = reg->name.substr(dot + 1);
  selected.operand.value = RegisterName{reg->name.substr(0, dot)};
  return selected;
}

class VideoDecoder {
 public:
  VideoDecoder(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers)
      : kernel_(kernel), instruction_(instruction), modifiers_(modifiers) {
    for (const Operand& operand : instruction.operands) {
      operands_.push_back(take_selector(kernel, operand));
      Operand& taken = operands_.back().operand;
      const bool may_negate = instruction.opcode == "vmad" && operands_.size() > 1;
      if (taken.minus && may_negate) negative_.push_back(operands_.size() - 1);
      if (may_negate) taken.minus = false;
    }
    const bool compares = instruction.opcode.starts_with("vset");
    control_.d_signed = !compares && modifiers.types[0] == Type::kS32;
    a_type_ = modifiers.types[compares ? 0 : 1];
    b_type_ = modifiers.types[compares ? 1 : 2];
    d_type_ = compares ? Type::kU32 : modifiers.types[0];
    control_.a_signed = a_type_ == Type::kS32;
    control_.b_signed = b_type_ == Type::kS32;
    control_.sat = modifiers.sat;
    control_.second = modifiers.second;
  }

  void scalar() {
    control_.op = operation();
    one_part_each();
    emit(isa::LaneOp::kVideo, Type::kU32, isa::pack_scalar(control_));
  }

  void shift() {
    control_.shift_right = instruction_.opcode == "vshr";
    control_.shift_wraps = !modifiers_.clamp;
    one_part_each();
    emit(isa::LaneOp::kVideoShift, Type::kU32, isa::pack_scalar(control_));
  }

  void multiply_add() {
    control_.plus_one = has("po");
    control_.scale_right = has("shr7") ? 7 : has("shr15") ? 15 : 0;
    refuse_selector(0);
    refuse_selector(3);
    control_.a = part(1);
    control_.b = part(2);
    const auto negative = [&](std::size_t i) {
      return std::find(negative_.begin(), negative_.end(), i) != negative_.end();
    };
    control_.minus_product = negative(1) != negative(2);
    control_.minus_c = negative(3);
    if (!negative_.empty() && control_.plus_one)
      kernel_.fail(instruction_.where, fmt::format("{} takes no negated operand", full_name(instruction_)));
    if (control_.minus_product && control_.minus_c)
      kernel_.fail(instruction_.where,
                   fmt::format("{} negates the product or the last operand", full_name(instruction_)));
    emit(isa::LaneOp::kVideoMad, Type::kU32, isa::pack_scalar(control_));
  }

  void simd() {
    const bool bytes = instruction_.opcode.back() == '4';
    const unsigned lanes = bytes ? 4 : 2;
    control_.op = operation();
    if (control_.sat && control_.second == VideoSecond::kAdd)
      kernel_.fail(instruction_.where,
                   fmt::format("'.sat' and '.add' exclude each other in '{}'", full_name(instruction_)));
    refuse_selector(3);
    control_.lanes_a = numbers(1, lanes, 0);
    control_.lanes_b = numbers(2, lanes, lanes);
    control_.mask = mask(lanes);
    emit(isa::LaneOp::kVideo, bytes ? Type::kU8 : Type::kU16, isa::pack_simd(control_));
  }

 private:
  [[nodiscard]] bool has(std::string_view word) const {
    return std::find(instruction_.modifiers.begin(), instruction_.modifiers.end(), word) !=
           instruction_.modifiers.end();
  }

  isa::VideoOp operation() {
    using isa::VideoOp;
    constexpr std::pair<std::string_view, VideoOp> kOperations[] = {
        {"vadd", VideoOp::kAdd}, {"vsub", VideoOp::kSub}, {"vabsdiff", VideoOp::kAbsDiff},
        {"vmin", VideoOp::kMin}, {"vmax", VideoOp::kMax}, {"vavrg", VideoOp::kAverage},
        {"vset", VideoOp::kSet}};
    std::string_view name = instruction_.opcode;
    if (name.back() == '2' || name.back() == '4') name.remove_suffix(1);
    VideoOp op = VideoOp::kAdd;
    for (const auto& [known, meaning] : kOperations)
      if (known == name) op = meaning;
    if (op == VideoOp::kSet) control_.compare = compare();
    return op;
  }

  [[nodiscard]] isa::VideoCompare compare() const {
    switch (modifiers_.compare) {
      case isa::Compare::kEq:
        return isa::VideoCompare::kEq;
      case isa::Compare::kNe:
        return isa::VideoCompare::kNe;
      case isa::Compare::kLt:
        return isa::VideoCompare::kLt;
      case isa::Compare::kLe:
        return isa::VideoCompare::kLe;
      case isa::Compare::kGt:
        return isa::VideoCompare::kGt;
      default:
        return isa::VideoCompare::kGe;
    }
  }

  [[noreturn]] void bad_selector(std::size_t i, const std::string& remedy) {
    kernel_.fail(operands_[i].operand.where,
                 fmt::format("'.{}' selects nothing in this operand of {}", operands_[i].selector,
                             full_name(instruction_)),
                 remedy);
  }
  void refuse_selector(std::size_t i) {
    if (i < operands_.size() && !operands_[i].selector.empty())
      bad_selector(i, "It is always taken as a whole.");
  }

  VideoPart part(std::size_t i) {
    constexpr std::pair<std::string_view, VideoPart> kParts[] = {
        {"", VideoPart::kWord}, {"b0", VideoPart::kB0}, {"b1", VideoPart::kB1}, {"b2", VideoPart::kB2},
        {"b3", VideoPart::kB3}, {"h0", VideoPart::kH0}, {"h1", VideoPart::kH1}};
    for (const auto& [name, part] : kParts)
      if (name == operands_[i].selector) return part;
    bad_selector(i, "Parts are .b0, .b1, .b2, .b3, .h0 and .h1.");
  }

  /// The parts of a scalar instruction, and whether its result is merged into c.
  void one_part_each() {
    control_.d = part(0);
    control_.a = part(1);
    control_.b = part(2);
    refuse_selector(3);
    const bool has_c = operands_.size() == 4;
    if (control_.second != VideoSecond::kNone && !has_c)
      kernel_.fail(instruction_.where, fmt::format("{} takes 4 operands, not 3", full_name(instruction_)));
    if (control_.d == VideoPart::kWord) return;
    if (!has_c || control_.second != VideoSecond::kNone)
      bad_selector(0, "A part of the result is merged into a fourth operand, without .add, .min or .max.");
    control_.second = VideoSecond::kMerge;
  }

  /// The numbers in .b7654 or .h32, from the lowest lane; `first` is the default of that lane.
  std::array<std::uint8_t, 4> numbers(std::size_t i, unsigned lanes, unsigned first) {
    std::array<std::uint8_t, 4> chosen{};
    const std::string& selector = operands_[i].selector;
    for (unsigned lane = 0; lane < lanes; ++lane) chosen[lane] = static_cast<std::uint8_t>(first + lane);
    if (selector.empty()) return chosen;
    if (selector.size() != lanes + 1 || selector[0] != (lanes == 4 ? 'b' : 'h'))
      bad_selector(i, remedy_of_lanes(lanes));
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const auto number = static_cast<unsigned>(selector[lanes - lane] - '0');
      if (number >= 2 * lanes) bad_selector(i, remedy_of_lanes(lanes));
      chosen[lane] = static_cast<std::uint8_t>(number);
    }
    return chosen;
  }
  static std::string remedy_of_lanes(unsigned lanes) {
    return lanes == 4 ? "Four bytes are selected, each from 0 to 7: .b3210, .b7654 ..."
                      : "Two halves are selected, each from 0 to 3: .h10, .h32 ...";
  }

  /// The lanes in .b320 or .h1, in falling order.
  std::uint8_t mask(unsigned lanes) {
    const std::string& selector = operands_[0].selector;
    const auto all = static_cast<std::uint8_t>((1u << lanes) - 1);
    if (selector.empty()) return all;
    const std::string remedy = lanes == 4
                                   ? "A mask names bytes from 3 to 0 in falling order: .b3210, .b20 ..."
                                   : "A mask is .h10, .h1 or .h0.";
    std::uint8_t bits = 0;
    for (std::size_t i = 1; i < selector.size(); ++i) {
      const auto lane = static_cast<unsigned>(selector[i] - '0');
      if (lane >= lanes || (i > 1 && selector[i] >= selector[i - 1])) bad_selector(0, remedy);
      bits = static_cast<std::uint8_t>(bits | 1u << lane);
    }
    if (selector[0] != (lanes == 4 ? 'b' : 'h')) bad_selector(0, remedy);
    return bits;
  }

  void emit(isa::LaneOp op, Type type, std::uint64_t immediate) {
    isa::LaneSpec spec;
    spec.op = op;
    spec.type = type;
    isa::Instruction out = simple_lane(kernel_, instruction_, spec);
    if (operands_[0].operand.second != nullptr)
      kernel_.fail(operands_[0].operand.second->where,
                   fmt::format("{} has one destination", full_name(instruction_)));
    out.dst[0] = destination(kernel_, instruction_, operands_[0].operand, d_type_).operand;
    if (!out.dst[0].present)
      kernel_.fail(operands_[0].operand.where,
                   fmt::format("the result of {} cannot be discarded", full_name(instruction_)));
    out.src[0] = source(kernel_, instruction_, operands_[1].operand, a_type_).operand;
    out.src[1] = source(kernel_, instruction_, operands_[2].operand, b_type_).operand;
    out.src[2] = operands_.size() == 4 ? source(kernel_, instruction_, operands_[3].operand, d_type_).operand
                                       : kernel_.constants.row(isa::RowWidth::k32, 0);
    out.immediate = immediate;
    kernel_.emit(instruction_, out);
  }

  KernelContext& kernel_;
  const Instruction& instruction_;
  const Modifiers& modifiers_;
  std::vector<Selected> operands_;
  std::vector<std::size_t> negative_;  ///< operands written with '-'
  Type a_type_ = Type::kU32;
  Type b_type_ = Type::kU32;
  Type d_type_ = Type::kU32;
  VideoControl control_;
};

}  // namespace

void decode_video(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                  const Modifiers& modifiers) {
  VideoDecoder(kernel, instruction, modifiers).scalar();
}
void decode_video_shift(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                        const Modifiers& modifiers) {
  VideoDecoder(kernel, instruction, modifiers).shift();
}
void decode_video_mad(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                      const Modifiers& modifiers) {
  VideoDecoder(kernel, instruction, modifiers).multiply_add();
}
void decode_video_simd(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                       const Modifiers& modifiers) {
  VideoDecoder(kernel, instruction, modifiers).simd();
}

}  // namespace heddle::ptx
