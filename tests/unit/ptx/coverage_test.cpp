// Coverage of the form table: every combination of modifiers and types that `heddle list --ptx` lists for
// instructions on registers is written as PTX, decoded, run, and compared with the reference
// (tests/unit/isa/reference.h) lane by lane. Instructions that need memory or other warps:
// tests/regression/isa_coverage_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>

#include "frontend/ptx/decode/forms.h"
#include "unit/isa/samples.h"
#include "unit/ptx/support.h"

namespace heddle::ptx::testing::coverage_test {
namespace {

using isa::LaneOp;
using isa::test::Kind;
using isa::test::Warp;

/// One way to write a form.
struct Spelling {
  std::string modifiers;  ///< with their dots
  Modifiers meaning;
};

void spell(const CompiledForm& form, std::size_t slot, const Spelling& so_far,
           const std::function<void(const Spelling&)>& use) {
  if (slot == form.slots.size()) {
    if (isa::find_lane_fn(lane_spec(form, so_far.meaning)) != nullptr) use(so_far);
    return;
  }
  const Slot& at = form.slots[slot];
  if (at.optional) spell(form, slot + 1, so_far, use);
  for (std::size_t w = 0; w < at.words.size(); ++w) {
    Spelling next = so_far;
    if (!apply_modifier(at.kinds[w], at.words[w], next.meaning)) continue;
    next.modifiers.append(".").append(at.words[w]);
    spell(form, slot + 1, next, use);
  }
}

/// A register of the type, number `index` of kernel_text()'s.
std::string register_of(Type type, unsigned index) {
  const char* kind = "%rs";
  if (type == Type::kPred)
    kind = "%p";
  else if (type == Type::kF32)
    kind = "%f";
  else if (type == Type::kF64)
    kind = "%fd";
  else if (isa::type_bytes(type) == 8)
    kind = "%rd";
  else if (isa::type_bytes(type) == 4)
    kind = "%r";
  return fmt::format("{}{}", kind, index);
}

constexpr unsigned kDestination = 7;
constexpr unsigned kSecond = 8;
constexpr std::uint64_t kTable = 0x6a;  // lop3

struct Written {
  std::string text;
  std::vector<std::string> sources;  ///< register of every source row, "" for an operand that is not a row
  std::string destination;
  std::string second;  ///< "" if there is none
};

/// `mask`: how the member mask is written.
Written write(const CompiledForm& form, const Spelling& spelling, const std::string& mask) {
  Written out;
  out.text = std::string(form.form.opcode) + spelling.modifiers;
  unsigned next = 1;
  std::string separator = " ";
  for (const OperandSpec& operand : form.operands) {
    const Type type = operand.type(spelling.meaning);
    std::string name;
    if (operand.destination) {
      name = out.destination = register_of(type, kDestination);
      if (operand.second_destination) {
        out.second = register_of(Type::kPred, kSecond);
        name.append("|").append(out.second);
      }
    } else if (operand.source == OperandSpec::Source::kImmediate) {
      name = std::to_string(kTable);
    } else if (operand.source == OperandSpec::Source::kMemberMask) {
      name = mask.empty() ? register_of(type, next) : mask;
      out.sources.push_back(mask.empty() ? name : "");
      ++next;
    } else {
      name = register_of(type, next++);
      out.sources.push_back(name);
    }
    out.text.append(separator).append(name);
    separator = ", ";
  }
  out.text += ";";
  return out;
}

isa::LaneSpec spec_of(const CompiledForm& form, const Spelling& spelling, bool members) {
  isa::LaneSpec spec = lane_spec(form, spelling.meaning);
  spec.member_mask = members;
  // 8-bit results go to 16-bit registers here.
  if (form.form.handler == decode_cvt && isa::type_bytes(spec.type) == 1) spec.dst_bits = 16;
  return spec;
}

bool takes_carry(LaneOp op) { return op >= LaneOp::kAddc && op <= LaneOp::kMadcHi; }

/// The error in the instruction; empty if there is none.
std::string check(const CompiledForm& form, const Spelling& spelling, const std::string& mask,
                  unsigned seed) {
  const Written written = write(form, spelling, mask);
  bool members = false;
  for (const OperandSpec& operand : form.operands)
    members |= operand.source == OperandSpec::Source::kMemberMask;
  const isa::LaneSpec spec = spec_of(form, spelling, members && mask.empty());
  const std::string reads_carry = takes_carry(spec.op) ? "(carry)" : "";
  const auto k = kernel(written.text);
  const isa::test::Shape shape = isa::test::shape_of(spec);
  isa::test::Samples samples(seed);
  for (unsigned round = 0; round < 2; ++round) {
    Warp in = isa::test::random_warp(spec, samples, 0);
    in.negated = 0;
    in.immediate = kTable;
    OneWarp warp(k);
    for (unsigned s = 0; s < written.sources.size() + (reads_carry.empty() ? 0 : 1); ++s) {
      const std::string& name = s < written.sources.size() ? written.sources[s] : reads_carry;
      for (unsigned lane = 0; lane < isa::test::kWarp; ++lane) {
        if (name.empty()) {
          in.src[s][lane] = 0xffff'ffffu;  // the full member mask
        } else if (shape.src[s] == Kind::kPredicate) {
          warp.set(name, lane, in.predicate[s] >> lane & 1u);
        } else {
          const bool narrow = name.starts_with("%rs");  // its rows hold 16 bits, zero-extended
          if (narrow) in.src[s][lane] &= 0xffffu;
          if (shape.src[s] != Kind::kRow64) in.src[s][lane] &= 0xffff'ffffu;
          warp.set(name, lane, in.src[s][lane]);
        }
      }
    }
    warp.run();
    const std::string second = spec.carry_out ? "(carry)" : written.second;
    for (unsigned lane = 0; lane < isa::test::kWarp; ++lane) {
      const auto expected = expected_lane(spec, in, lane);
      if (!expected) return fmt::format("{} is unknown to the reference", written.text);
      const std::uint64_t actual = warp.get(written.destination, lane);
      const bool close = isa::test::close_enough(*expected, actual, shape.dst == Kind::kRow64);
      if (!close)
        return written.text + " lane " + std::to_string(lane) + ": " + std::to_string(actual) +
               " instead of " + std::to_string(expected->value);
      if (!second.empty() && (warp.get(second, lane) != 0) != expected_second(spec, in, lane))
        return fmt::format("{} lane {}: wrong second destination", written.text, lane);
    }
  }
  return {};
}

struct Count {
  unsigned forms = 0;
  unsigned combinations = 0;
};

TEST(PtxCoverage, EveryRegisterFormIsRunAndComparedWithTheReference) {
  std::map<std::string, Count> report;
  unsigned combinations = 0;
  for (const std::string_view opcode : known_opcodes())
    for (const CompiledForm& form : forms_of(opcode)) {
      if (form.form.handler != decode_lane && form.form.handler != decode_cvt) continue;
      Count& count = report[std::string(opcode)];
      ++count.forms;
      const unsigned before = count.combinations;
      spell(form, 0, {}, [&](const Spelling& spelling) {
        ++count.combinations;
        ++combinations;
        for (const std::string mask : {"-1", ""}) {
          const std::string mistake = check(form, spelling, mask, combinations);
          ASSERT_EQ(mistake, "") << form.form.opcode << spelling.modifiers;
          if (form.operands.back().source != OperandSpec::Source::kMemberMask) break;
        }
      });
      ASSERT_GT(count.combinations, before)
          << "nothing of this form is supported: " << opcode << " " << form.form.modifiers;
    }
  unsigned forms = 0;
  for (const auto& [opcode, count] : report) {
    forms += count.forms;
    std::printf("%-12s %3u forms %6u combinations of modifiers and types\n", opcode.c_str(), count.forms,
                count.combinations);
  }
  std::printf("%zu opcodes, %u forms, %u combinations: all run\n", report.size(), forms, combinations);
  RecordProperty("combinations", static_cast<int>(combinations));
}

}  // namespace
}  // namespace heddle::ptx::testing::coverage_test
