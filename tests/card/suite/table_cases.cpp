#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "case.h"
#include "frontend/ptx/decode.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/parser.h"
#include "isa/lane_ops.h"
#include "sweep.h"

namespace heddle::card {
namespace {

using isa::Type;

Values values_of(Type type) {
  switch (type) {
    case Type::kPred:
      return Values::kPredicate;
    case Type::kF16:
      return Values::kHalf;
    case Type::kF16x2:
      return Values::kHalves;
    case Type::kF32:
      return Values::kSingle;
    case Type::kF64:
      return Values::kDouble;
    default:
      break;
  }
  const unsigned bytes = isa::type_bytes(type);
  return bytes <= 2 ? Values::kInteger16 : bytes == 4 ? Values::kInteger32 : Values::kInteger64;
}

/// Operands that are no data: amounts, fields.
Values values_of(std::string_view opcode, std::size_t source, std::size_t sources, Type type) {
  const bool last = source + 1 == sources;
  if ((opcode == "shl" || opcode == "shr" || opcode == "shf") && last) return Values::kAmount;
  if ((opcode == "bfe" || opcode == "bfi") && source + 2 >= sources) return Values::kField;
  if (opcode == "bmsk" || (opcode == "szext" && last)) return Values::kField;
  if (opcode == "fns" && source == 1) return Values::kLane;
  if (opcode == "fns" && source == 2) return Values::kOffset;
  return values_of(type);
}

bool is_integer(Type type) {
  return type != Type::kPred && type != Type::kF16 && type != Type::kF16x2 && type != Type::kF32 &&
         type != Type::kF64;
}

/// A form with one choice of modifiers.
struct Written {
  const ptx::CompiledForm* form = nullptr;
  ptx::Modifiers meaning;
  std::string name;
  std::vector<std::string_view> words;

  [[nodiscard]] bool has(std::string_view word) const {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
};

void choose_words(const Written& so_far, std::size_t slot, const std::function<void(const Written&)>& use) {
  if (slot == so_far.form->slots.size()) return use(so_far);
  const ptx::Slot& at = so_far.form->slots[slot];
  if (at.optional) choose_words(so_far, slot + 1, use);
  for (std::size_t w = 0; w < at.words.size(); ++w) {
    Written next = so_far;
    if (!ptx::apply_modifier(at.kinds[w], at.words[w], next.meaning)) continue;
    next.name += fmt::format(".{}", at.words[w]);
    next.words.push_back(at.words[w]);
    choose_words(next, slot + 1, use);
  }
}

class CaseMaker {
 public:
  explicit CaseMaker(const Written& written) : written_(written) {
    base_.name = written.name;
    base_.approximate = written.has("approx") || written.has("full");
    const auto& operands = written.form->operands;
    for (const ptx::OperandSpec& operand : operands) sources_ += operand.destination ? 0 : 1;
  }

  std::vector<Case> make() {
    for (const ptx::OperandSpec& operand : written_.form->operands) add(operand);
    if (has_immediate_) {
      for (const unsigned table : {0x00u, 0x01u, 0x80u, 0x96u, 0xe8u, 0xcau, 0x3cu, 0x7fu, 0xd8u, 0x1bu})
        finish(fmt::format("${}", "i"), std::to_string(table));
    } else if (written_.name.find(".cc") != std::string::npos || written_.name.starts_with("addc") ||
               written_.name.starts_with("subc") || written_.name.starts_with("madc")) {
      carries();
    } else {
      finish({}, {});
      if (written_.form->form.handler == ptx::decode_cvt) wider();
    }
    return std::move(cases_);
  }

 private:
  void add(const ptx::OperandSpec& operand) {
    const Type type = operand.type(written_.meaning);
    std::string text;
    if (operand.destination) {
      text = fmt::format("$d{}", base_.results.size());
      base_.results.push_back(type);
      if (operand.second_destination) {
        text += fmt::format("|$d{}", base_.results.size());
        base_.results.push_back(Type::kPred);
      }
    } else if (operand.source == ptx::OperandSpec::Source::kImmediate) {
      text = "$i";
      has_immediate_ = true;
    } else {
      text = fmt::format("$s{}", base_.sources.size());
      base_.sources.push_back(values_of(written_.form->form.opcode, base_.sources.size(), sources_, type));
    }
    operands_ += (operands_.empty() ? "" : ", ") + text;
  }

  void finish(const std::string& placeholder, const std::string& value) {
    Case made = base_;
    made.body = fmt::format("{} {};", written_.name, operands_);
    if (!placeholder.empty()) {
      made.body.replace(made.body.find(placeholder), placeholder.size(), value);
      made.name += " " + value;
    }
    cases_.push_back(std::move(made));
  }

  /// What sets CC.CF before, and what reads it behind. Both are of 32 bits: ptxas keeps one flag.
  void carries() {
    for (const char* const setter : {"add", "sub"})
      for (const char* const reader : {"addc", "subc"}) {
        Case made = base_;
        made.name += fmt::format(" behind {}.cc, read by {}", setter, reader);
        made.sources.push_back(Values::kBit);
        made.results.push_back(Type::kU32);
        const std::size_t carry = made.sources.size() - 1, flag = made.results.size() - 1;
        const bool adds = std::string_view(setter) == "add";
        made.body =
            fmt::format("mov.b32 %x0, {}; {}.cc.u32 %x1, {}; {} {}; mov.b32 %x2, 7; {}.u32 $d{}, %x2, 0;",
                        adds ? "-1" : "0", setter,
                        adds ? fmt::format("$s{}, %x0", carry) : fmt::format("%x0, $s{}", carry),
                        written_.name, operands_, reader, flag);
        cases_.push_back(std::move(made));
      }
  }

  /// cvt takes registers that are wider than its integer types.
  void wider() {
    const Type to = written_.meaning.types[0], from = written_.meaning.types[1];
    if (is_integer(to) && isa::type_bytes(to) < 8)
      for (const Type width : {Type::kB32, Type::kB64})
        if (isa::type_bytes(width) > std::max(2u, isa::type_bytes(to))) {
          finish({}, {});
          cases_.back().results[0] = width;
          cases_.back().name += fmt::format(", result in {} bits", 8 * isa::type_bytes(width));
        }
    if (is_integer(from) && isa::type_bytes(from) < 8) {
      finish({}, {});
      cases_.back().sources[0] = Values::kInteger64;
      cases_.back().name += ", operand in 64 bits";
    }
  }

  const Written& written_;
  Case base_;
  std::string operands_;
  std::size_t sources_ = 0;
  bool has_immediate_ = false;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> table_cases() {
  std::vector<Case> all;
  for (const std::string_view opcode : ptx::known_opcodes())
    for (const ptx::CompiledForm& form : ptx::forms_of(opcode)) {
      const bool lane = form.form.handler == ptx::decode_lane || form.form.handler == ptx::decode_cvt;
      if (!lane || isa::is_cross_lane(form.form.lane)) continue;
      choose_words({&form, {}, std::string(opcode), {}}, 0, [&](const Written& written) {
        if (isa::find_lane_fn(ptx::lane_spec(form, written.meaning)) == nullptr) return;
        for (Case& each : CaseMaker(written).make()) all.push_back(std::move(each));
      });
    }
  return accepted(std::move(all));
}

}  // namespace heddle::card
