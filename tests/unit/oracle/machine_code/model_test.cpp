// Random instructions of every form that reads and writes registers: the model's lane functions against the oracle.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "base/error.h"
#include "frontend/sass/decode.h"
#include "oracle/sass/warp.h"
#include "unit/sass/lowered_instruction.h"
#include "unit/sass/random_instruction.h"

namespace heddle::oracle::machine_code::model_test {
namespace {

using sass::FormCase;
using sass::LoweredInstruction;

/// A register, mostly of a kind that the operations treat specially: as integer, f32, two halves, or half of an f64.
std::uint32_t sample(std::mt19937_64& random) {
  constexpr std::uint32_t kSpecial[] = {
      0,           1,           2,           31,          32,          33,          64,          0x80000000u,
      0x7fffffffu, 0xffffffffu, 0x3f800000u, 0xbf800000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f800001u,
      0x00800000u, 0x80000001u, 0x007fffffu, 0x3c003c00u, 0x7c00fc00u, 0x7e018001u, 0x04000001u, 0x33000000u,
      0x7ff00000u, 0xfff80000u, 0x3ff00000u, 0x4b000000u, 0x47efffffu, 0x38100000u};
  const std::uint64_t bits = random();
  switch (bits & 7) {
    case 0:
    case 1:
    case 2:
      return kSpecial[(bits >> 8) % std::size(kSpecial)];
    case 3:
      return static_cast<std::uint32_t>(bits >> 32) >> (bits >> 8) % 32;
    case 4:  // an f32 near 1
      return (static_cast<std::uint32_t>(bits >> 32) & 0x81ffffffu) | 0x3e000000u;
    case 5:  // the high word of an f64 near 1
      return (static_cast<std::uint32_t>(bits >> 32) & 0x803fffffu) | 0x3fc00000u;
    default:
      return static_cast<std::uint32_t>(bits >> 32);
  }
}

Banks patterned_banks() {
  Banks banks;
  for (unsigned bank = 0; bank < Banks::kCount; ++bank) {
    banks.bytes[bank].resize(1 << 16);
    for (std::uint32_t at = 0; at < 1 << 16; at += 4) {
      const std::uint32_t word = LoweredInstruction::constant(bank, at);
      std::memcpy(banks.bytes[bank].data() + at, &word, 4);
    }
  }
  return banks;
}
bool reads_aligned_constants(const sass::Instruction& instruction) {
  for (const Operand& operand : instruction.operands())
    if (operand.kind == Operand::Kind::kConstant &&
        (operand.value % 4 != 0 || operand.bank >= Banks::kCount || operand.value >= (1 << 16) - 8))
      return false;
  return true;
}

void set(Lane& lane, const std::string& name, std::uint32_t value) {
  const auto number = static_cast<unsigned>(std::stoul(name.substr(name.find_first_of("0123456789"))));
  if (name.starts_with("UR"))
    lane.uniform[number] = value;
  else if (name.starts_with("UP"))
    lane.uniform_predicates[number] = value != 0;
  else if (name.starts_with("P"))
    lane.predicates[number] = value != 0;
  else
    lane.registers[number] = value;
}
std::uint32_t get(const Lane& lane, const std::string& name) {
  const auto number = static_cast<unsigned>(std::stoul(name.substr(name.find_first_of("0123456789"))));
  if (name.starts_with("UR")) return lane.uniform[number];
  if (name.starts_with("UP")) return lane.uniform_predicates[number] ? 1 : 0;
  if (name.starts_with("P")) return lane.predicates[number] ? 1 : 0;
  return lane.registers[number];
}

/// Across the lanes that execute it, which are `lanes`.
bool execute(const Op& op, Warp& warp, std::uint32_t lanes, const Banks& banks) {
  switch (op.instruction.op) {
    case Opcode::kVote:
    case Opcode::kVoteu:
      vote(op, warp, lanes, lanes, banks);
      return true;
    case Opcode::kMatch:
      match(op, warp, lanes, banks);
      return true;
    case Opcode::kShfl:
      shuffle(op, warp, lanes, banks);
      return true;
    case Opcode::kRedux:
      reduce(op, warp, lanes, lanes, banks);
      return true;
    case Opcode::kR2ur:
      to_uniform(op, warp, lanes, lanes, banks);
      return true;
    default:
      if (op.lane == nullptr) return false;
      for_each_lane(lanes, [&](unsigned i) {
        Values values(op, warp.lanes[i], banks);
        op.lane(values);
      });
      return true;
  }
}

/// A lane that does not take part in a shuffle has no value to give.
std::uint32_t random_lanes(const Op& op, std::mt19937_64& random) {
  return op.instruction.op == Opcode::kShfl ? ~0u : static_cast<std::uint32_t>(random()) | 1u;
}
/// What is one value for the warp in code that is right: uniform registers, and what becomes one.
bool is_even(const Op& op, const std::string& name) {
  return name.starts_with("U") || op.instruction.op == Opcode::kR2ur;
}

/// Both execute it on the same registers, which the message has if they differ. nullopt: it takes more than registers.
std::optional<bool> agree(LoweredInstruction& model, const Op& op, const Banks& banks,
                          std::mt19937_64& random) {
  Warp warp;
  const std::uint32_t lanes = random_lanes(op, random);
  std::map<std::string, std::vector<std::uint64_t>> before;
  for (const std::string& name : model.register_names()) {
    std::vector<std::uint64_t> values(LoweredInstruction::kLanes);
    for (std::uint64_t& value : values)
      value = name.find('P') != std::string::npos ? random() & 1 : sample(random);
    if (is_even(op, name)) std::fill(values.begin(), values.end(), values.front());
    model.set(name, values);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      set(warp.lanes[lane], name, static_cast<std::uint32_t>(values[lane]));
    before[name] = values;
  }
  if (!execute(op, warp, lanes, banks)) return std::nullopt;
  model.run(lanes);
  for (const std::string& name : model.register_names())
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((lanes >> lane & 1) == 0 || model.get(name, lane) == get(warp.lanes[lane], name)) continue;
      std::string operands;
      for (const auto& [each, values] : before) operands += fmt::format(" {}={:#x}", each, values[lane]);
      ADD_FAILURE() << model.text() << ":" << operands << ": " << name << " is "
                    << fmt::format("{:#x} in the model and {:#x} in the oracle", model.get(name, lane),
                                   get(warp.lanes[lane], name));
      return false;
    }
  return true;
}

TEST(MachineCodeModel, AgreesWithTheOracleOnRandomInstructionsOfEveryForm) {
  std::mt19937_64 random(41);
  const Banks banks = patterned_banks();
  std::size_t compared = 0;
  std::size_t refused = 0;
  std::map<std::string, bool> forms;
  unsigned differences = 0;
  for (const FormCase& of : sass::form_cases()) {
    for (unsigned modifier = 0; modifier < of.form->modifiers.size(); ++modifier) {
      const sass::ModifierSpec& spec = of.form->modifiers[modifier];
      if (modifier != 0 && spec.id == Modifier::kNone) break;
      const unsigned codes = spec.id == Modifier::kNone ? 1 : spec.names.count;
      for (unsigned code = 0; code < codes; ++code) {
        if (spec.id != Modifier::kNone && spec.names.text[code] == nullptr) continue;
        for (unsigned round = 0; round < 40; ++round) {
          std::optional<sass::Instruction> instruction = sass::random_instruction(of, random, modifier, code);
          if (instruction) {  // all lanes take part; who does under a guard, tests of their own say
            instruction->guard = sass::kPt;
            instruction->guard_negated = false;
          }
          if (!instruction || !reads_aligned_constants(*instruction)) continue;
          std::string problem;
          const Op op = make_op(*instruction, problem);
          if (!problem.empty()) continue;
          try {
            LoweredInstruction model(sass::encode(*instruction), of.arch);
            if (!model.is_lane_operation() || model.lowered().time_dependent) continue;
            bool special = false;
            for (const Operand& operand : instruction->operands())
              special = special || operand.kind == Operand::Kind::kSpecialRegister;
            if (special) continue;
            const std::optional<bool> same = agree(model, op, banks, random);
            if (!same) continue;
            forms[of.form->name] = true;
            ++compared;
            if (!*same && ++differences == 40) FAIL() << "and more";
          } catch (const base::InputError&) {
            ++refused;  // by the model; the registers at the end, or a modifier that it does not know
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 5000u);
  EXPECT_LT(refused, compared / 4);
  EXPECT_GT(forms.size(), 60u);
}

}  // namespace
}  // namespace heddle::oracle::machine_code::model_test
