// Random instructions, executed by the interpreter and by the model's lane functions: registers and predicates are the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sass/decode.h"
#include "oracle/sass/warp.h"
#include "random_instruction.h"
#include "unit/sass/one_instruction.h"

namespace heddle::oracle::machine_code {
namespace {

constexpr unsigned kPerForm = 2000;

/// Constant banks as the model's side of the test has them: a word is its bank and its offset.
Banks numbered_banks() {
  Banks banks;
  for (unsigned bank = 0; bank < Banks::kCount; ++bank)
    for (std::uint32_t offset = 0; offset < 1024; offset += 4) {
      const std::uint32_t value = bank << 16 | offset;
      banks.bytes[bank].resize(offset + 4);
      std::memcpy(banks.bytes[bank].data() + offset, &value, 4);
    }
  return banks;
}

struct Place {
  enum class File : std::uint8_t { kRegister, kUniform, kPredicate, kUniformPredicate } file;
  unsigned number;
};
/// "R5", "UR5", "P1", "UP1".
Place place_of(const std::string& name) {
  const bool uniform = name.front() == 'U';
  const bool predicate = name[uniform ? 1 : 0] == 'P';
  const auto number = static_cast<unsigned>(std::stoul(name.substr(uniform ? 2 : 1)));
  using File = Place::File;
  return {predicate ? uniform ? File::kUniformPredicate : File::kPredicate
                    : uniform ? File::kUniform : File::kRegister,
          number};
}

void write(Lane& lane, const Place& place, std::uint32_t value) {
  switch (place.file) {
    case Place::File::kRegister:
      lane.registers[place.number] = value;
      break;
    case Place::File::kUniform:
      lane.uniform[place.number] = value;
      break;
    case Place::File::kPredicate:
      lane.predicates[place.number] = value != 0;
      break;
    case Place::File::kUniformPredicate:
      lane.uniform_predicates[place.number] = value != 0;
      break;
  }
}
std::uint32_t read(const Lane& lane, const Place& place) {
  switch (place.file) {
    case Place::File::kRegister:
      return lane.registers[place.number];
    case Place::File::kUniform:
      return lane.uniform[place.number];
    case Place::File::kPredicate:
      return lane.predicates[place.number] ? 1 : 0;
    case Place::File::kUniformPredicate:
      return lane.uniform_predicates[place.number] ? 1 : 0;
  }
  return 0;
}

/// What the operation needs a whole machine for, or leaves open.
bool is_compared(Opcode op) {
  switch (op) {
    case Opcode::kS2r:
    case Opcode::kS2ur:
    case Opcode::kCs2r:
    case Opcode::kB2r:
    case Opcode::kUldc:
    case Opcode::kFchk:  // either side may ask for care where none is needed
      return false;
    default:
      return true;
  }
}

/// Conversions have an operation for each width of registers; types of the other one are in its fields only.
bool has_fitting_types(const sass::Instruction& instruction) {
  constexpr unsigned kOf64[] = {0x110, 0x111, 0x112, 0x113};
  enum : unsigned { kFloat64 = 3, kInteger64 = 3 };
  const unsigned to = instruction.value(Modifier::kDestination), from = instruction.value(Modifier::kSource);
  bool wide = false;
  if (instruction.op == Opcode::kF2f) {
    wide = to == kFloat64 || from == kFloat64;
  } else if (instruction.op == Opcode::kF2i) {
    wide = to >> 1 == kInteger64 || from == kFloat64;
  } else if (instruction.op == Opcode::kI2f) {
    wide = to == kFloat64 || from >> 1 == kInteger64;
    // How 32 bits would become 64 is not known.
    if (from >> 1 == kInteger64 && instruction.find(Role::kB)->kind == Operand::Kind::kImmediate) return false;
  } else if (instruction.op == Opcode::kFrnd) {
    wide = (from & 3) == kFloat64;
  } else {
    return true;
  }
  return wide == (std::find(std::begin(kOf64), std::end(kOf64), instruction.form->code) != std::end(kOf64));
}

/// Registers that hold one value for the warp: sources of uniform results.
bool is_even(const sass::Instruction& instruction, const std::string& name) {
  return place_of(name).file == Place::File::kUniform || instruction.op == Opcode::kR2ur;
}

void execute(const Op& op, Warp& warp, std::uint32_t lanes, const Banks& banks) {
  switch (op.instruction.op) {
    case Opcode::kVote:
    case Opcode::kVoteu:
      return vote(op, warp, lanes, lanes, banks);
    case Opcode::kMatch:
      return match(op, warp, lanes, banks);
    case Opcode::kShfl:
      return shuffle(op, warp, lanes, banks);
    case Opcode::kRedux:
      return reduce(op, warp, lanes, lanes, banks);
    case Opcode::kR2ur:
      return to_uniform(op, warp, lanes, lanes, banks);
    default:
      for_each_lane(lanes, [&](unsigned i) {
        Values values(op, warp.lanes[i], banks);
        op.lane(values);
      });
  }
}

/// Empty, or how the two differ.
std::string difference(const sass::Instruction& instruction, Generator& random, unsigned& compared) {
  const sass::Word word = sass::encode(instruction);
  std::string problem;
  const Op op = make_op(instruction, problem);
  if (!problem.empty()) return {};
  std::optional<sass::OneInstruction> model;
  try {
    model.emplace(word, instruction.arch);
  } catch (const base::InputError&) {
    return {};  // refused by name
  }
  if (!model->is_lane_operation()) return fmt::format("{}: no lane operation of the model", model->text());
  Warp warp;
  warp.live = ~0u;
  const std::uint32_t lanes = instruction.op == Opcode::kShfl ? ~0u : static_cast<std::uint32_t>(random()) | 1u;
  std::map<std::string, std::vector<std::uint64_t>> before;
  for (const std::string& name : model->registers()) {
    const Place place = place_of(name);
    std::vector<std::uint64_t>& values = before[name];
    const bool predicate = place.file == Place::File::kPredicate || place.file == Place::File::kUniformPredicate;
    for (unsigned i = 0; i < kLanes; ++i) {
      if (i != 0 && is_even(instruction, name))
        values.push_back(values.front());
      else
        values.push_back(predicate ? random() & 1 : random_value(random));
      write(warp.lanes[i], place, static_cast<std::uint32_t>(values[i]));
    }
    model->set(name, values);
  }
  static const Banks kBanks = numbered_banks();
  execute(op, warp, lanes, kBanks);
  model->run(lanes);
  ++compared;
  for (const std::string& name : model->registers())
    for (unsigned i = 0; i < kLanes; ++i) {
      if ((lanes >> i & 1) == 0) continue;
      const std::uint32_t ours = read(warp.lanes[i], place_of(name)), theirs = model->get(name, i);
      if (ours == theirs) continue;
      std::string text = fmt::format("{}   {:016x} {:016x}   {}: oracle {:#x}, model {:#x}; before:", model->text(), word.low,
                                     word.high, name, ours, theirs);
      for (const auto& [register_name, values] : before) text += fmt::format(" {}={:#x}", register_name, values[i]);
      return text;
    }
  return {};
}

struct FormGroup {
  const char* name;
  std::span<const sass::Form> (*forms)();
};
class MachineCodeAgainstModel : public ::testing::TestWithParam<FormGroup> {};

TEST_P(MachineCodeAgainstModel, RandomInstructionsHaveTheSameResults) {
  Generator random(20261126);
  unsigned compared = 0;
  for (const sass::Form& form : GetParam().forms()) {
    if (!is_compared(form.op)) continue;
    for (const Arch arch : {Arch::kSm75, Arch::kSm90}) {
      if ((form.archs & (arch == Arch::kSm75 ? sass::k75 : sass::k90)) == 0) continue;
      unsigned different = 0;
      for (unsigned i = 0; i < kPerForm && different < 2; ++i) {
        const auto instruction = random_instruction(form, arch, random);
        if (!instruction || !has_fitting_types(*instruction)) continue;
        const std::string text = difference(*instruction, random, compared);
        EXPECT_EQ(text, "");
        different += text.empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(compared, 100u);
}

INSTANTIATE_TEST_SUITE_P(
    Groups, MachineCodeAgainstModel,
    ::testing::Values(FormGroup{"integer", sass::integer_forms}, FormGroup{"float", sass::float_forms},
                      FormGroup{"half", sass::half_forms}, FormGroup{"conversion", sass::conversion_forms},
                      FormGroup{"move", sass::move_forms}, FormGroup{"uniform", sass::uniform_forms},
                      FormGroup{"warp", sass::warp_forms}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace heddle::oracle::machine_code
