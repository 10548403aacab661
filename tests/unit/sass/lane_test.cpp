// Operations on registers, from the word to the values: decoded, lowered to rows, executed over 32 lanes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <string>

#include "base/error.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/print.h"
#include "unit/sass/assembler.h"
#include "unit/sass/case_text.h"
#include "unit/sass/data.h"
#include "unit/sass/lane_cases.h"
#include "unit/sass/lowered_instruction.h"

namespace heddle::sass::lane_test {
namespace {

constexpr unsigned kLanes = LoweredInstruction::kLanes;
using Values = CaseValues;

Word word_with(const LaneCase& of) {
  const std::string text = of.word;
  Word word = text.find('@') == std::string::npos ? word_of(text) : assemble(of.arch, text);
  set_case_fields(word, of.fields);
  return word;
}

/// The functions of MUFU on sm_75, and of a uniform register: rows of their own in the table.
std::vector<LaneCase> other_rows_of_mufu(std::span<const LaneCase> cases) {
  static std::deque<std::string> texts;
  std::vector<LaneCase> more;
  const auto keep = [](std::string text) { return texts.emplace_back(std::move(text)).c_str(); };
  for (const LaneCase& of : cases) {
    const Instruction instruction = *decode(word_with(of), of.arch).instruction;
    if (instruction.op != Opcode::kMufu || instruction.operand_form != 1) continue;
    const bool single = instruction.value(Modifier::kSource) == 0;
    if (single && of.arch == Arch::kSm90)
      more.push_back({of.word, of.fields, of.before, of.after, Arch::kSm75});
    if (instruction.value(Modifier::kByte) != 0) continue;
    const char* const fields = keep(std::string(of.fields) + " 9:3=6 91=1");
    const char* const before = keep("U" + std::string(of.before));
    more.push_back({of.word, fields, before, of.after, of.arch});
    if (single && of.arch == Arch::kSm90) more.push_back({of.word, fields, before, of.after, Arch::kSm75});
  }
  return more;
}

std::vector<LaneCase> all_cases() {
  std::vector<LaneCase> all;
  for (const auto group : {integer_cases(), bit_cases(), float_cases(), half_cases(), conversion_cases(),
                           move_cases(), uniform_cases(), warp_cases()})
    all.insert(all.end(), group.begin(), group.end());
  const auto mufu = other_rows_of_mufu(float_cases());
  all.insert(all.end(), mufu.begin(), mufu.end());
  return all;
}

void check(const LaneCase& of, std::uint32_t mask) {
  LoweredInstruction one(word_with(of), of.arch);
  SCOPED_TRACE(fmt::format("{}   {} {}   mask {:#x}", one.text(), of.word, of.fields, mask));
  ASSERT_TRUE(one.is_lane_operation());
  std::map<std::string, Values> old;
  for (const auto& [name, values] : case_assignments(of.before)) {
    // A word of another operand may not matter.
    EXPECT_TRUE(one.set(name, values) || one.text().find(name) != std::string::npos)
        << name << " is not an operand";
    old[name] = values;
  }
  for (const auto& [name, values] : case_assignments(of.after)) {
    if (old.contains(name)) continue;
    old[name] = Values{name.find('P') != std::string::npos ? 1u : 0xdead'beefu};
    EXPECT_TRUE(one.set(name, old[name])) << name << " is not an operand";
  }
  one.run(mask);
  for (const auto& [name, values] : case_assignments(of.after))
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const Values& expected = (mask >> lane & 1u) != 0 ? values : old[name];
      const auto value = static_cast<std::uint32_t>(expected[lane % expected.size()]);
      ASSERT_EQ(fmt::format("{:#x}", one.get(name, lane)), fmt::format("{:#x}", value))
          << name << " in lane " << lane;
    }
}

TEST(LaneOperations, GiveTheValuesOfTheSpecification) {
  for (const LaneCase& of : all_cases()) {
    check(of, 0xffff'ffffu);
    if (std::string_view(of.after).find("any") == std::string_view::npos &&
        !LoweredInstruction(word_with(of), of.arch).lowered().cross_lane)
      check(of, 0x5a5a'0ff0u);
  }
}

// The guard says which lanes take part; a uniform register is that of all lanes that came.
TEST(LaneOperations, UniformResultsAreThoseOfTheWholeGroup) {
  struct Guarded {
    std::uint64_t low, high;  ///< under @P0
    const char* result;
    std::uint32_t value;
  };
  for (const Guarded& of : {
           Guarded{0x0000'0000'0e04'02ca, 0x041f'e400'000e'0000, "UR4", 13},   // R2UR UR4, R14
           Guarded{0x0000'0000'0e05'03c4, 0x000e'f000'0000'c000, "UR5", 28},   // REDUX.SUM UR5, R14
           Guarded{0x0000'0000'0e05'03c4, 0x000e'f000'0001'0200, "UR5", 13},   // REDUX.MIN.S32
           Guarded{0x0000'0000'0005'0886, 0x000f'e400'038e'0100, "UR5", 0x28}  // VOTEU.ANY UR5, UPT, PT
       }) {
    LoweredInstruction one(Word{of.low, of.high}, Arch::kSm90);
    SCOPED_TRACE(one.text());
    ASSERT_FALSE(one.lowered().guard.present);
    LoweredInstruction::Values values(kLanes), some(kLanes);
    for (unsigned lane = 0; lane < kLanes; ++lane) values[lane] = lane + 10;
    some[3] = some[5] = some[20] = 1;  // lane 20 is elsewhere
    one.set("R14", values);
    ASSERT_TRUE(one.set("P0", some));
    ASSERT_TRUE(one.set(of.result, {0xdead'beefu}));
    one.run(0xff);
    EXPECT_EQ(one.get(of.result, 0), of.value) << "a lane whose guard does not hold";
    EXPECT_EQ(one.get(of.result, 5), of.value);
    EXPECT_EQ(one.get(of.result, 8), 0xdead'beefu) << "a lane that is elsewhere";
    one.set(of.result, {0xdead'beefu});
    one.run(0x7);
    EXPECT_EQ(one.get(of.result, 0), 0xdead'beefu) << "no guard holds";
  }
}

// @P0 R2UR P1, UR4, R14: only lanes that take part learn whether theirs is another value.
TEST(LaneOperations, PredicatesOfGuardedMovesAreTheLanesOwn) {
  LoweredInstruction one(Word{0x0000'0000'0e04'02ca, 0x041f'e400'0002'0000}, Arch::kSm90);
  ASSERT_TRUE(one.set("R14", {7, 8}));
  ASSERT_TRUE(one.set("P0", {1, 1, 0, 0}));
  ASSERT_TRUE(one.set("P1", {1, 0, 0, 1}));
  one.run(0xf);
  EXPECT_EQ(one.get("UR4", 3), 7u);
  EXPECT_EQ(one.get("P1", 0), 0u);
  EXPECT_EQ(one.get("P1", 1), 1u);
  EXPECT_EQ(one.get("P1", 2), 0u);
  EXPECT_EQ(one.get("P1", 3), 1u);
}

struct Refusal {
  const char* word;
  const char* fields;
  const char* why;
  Arch arch = Arch::kSm90;
};
constexpr Refusal kRefusals[] = {
    {"00000016160f7220 000fe20000400000", "76=1", ".DNZ"},
    {"00000008060b7223 004fcc000000000b", "76=1", ".DNZ"},
    {"000000ff00137202 000fe40000000f00", "72:4=3", "MOV of some lanes of each four"},
    {"0000000900097245 000fc80000201400", "75:2=3", "I2FP to F64"},
    {"0000000000007300 004e2400000e0000", "81:3=1", "a predicate of FLO"},
    {"000000000e0473c2 041fe400000e0000", "81:3=1", "a predicate of R2UR", Arch::kSm75},
    {"00000000050573a1 000f6400000e8000", "81:3=1", "a predicate of MATCH.ANY"},
    {"0000000504047214 003fde00000e0206", "81:3=1", "a predicate of VABSDIFF"},
    {"0000000600007804 040fe40000000000", "i=0x86", "more than P0 to P6"},
    {"0000000700007306 000e700000209400", "60:2=3 84:2=1", "goes on behind it"},
    {"0000000000077308 0007220000000800", "74:4=4 72=1", "MUFU of 16 bits"},
    {"0000000aff0a723e 000fc600000000ff", "c=3", "a third operand of F2FP"},
    {"0000000000007919 000e220000002100", "72:8=0x64", "special register SR_PM0"},
    {"00000000000e7805 000fe2000001ff00", "72:8=0x51", "from its high word on"},
    {"0000000004047229 020fe20000000006", "d=254", "behind the last register"},
    {"HFMA2.DNZ@231 d=4 a=5 b=6 c=7", "", ".DNZ"},
    {"F2IP.S8.F32.NTZ@243 d=4 a=5 b=6 c=7", "", "F2IP to bytes with a sign"},
    {"F2FP.RM.TF32.F32.PACK_B@23e d=10 b=5", "", "that this operation does not have together"},
    {"F2FP.RP.TF32.F32.PACK_B@23e d=10 b=5", "", "that this operation does not have together"},
};

TEST(LaneOperations, OfEveryRowWithEveryModifierHaveACaseOrAreRefused) {
  std::set<std::tuple<const Form*, Modifier, unsigned>> have;
  std::set<const Form*> forms;
  const auto add = [&](Word word, Arch arch) {
    const Instruction instruction = *decode(word, arch).instruction;
    forms.insert(instruction.form);
    for (unsigned i = 0; i < kMostModifiers; ++i)
      have.insert({instruction.form, instruction.form->modifiers[i].id, instruction.modifiers[i]});
  };
  for (const LaneCase& of : all_cases()) add(word_with(of), of.arch);
  for (const Refusal& of : kRefusals) add(word_with({of.word, of.fields, "", "", of.arch}), of.arch);
  for (const auto group : {integer_forms(), float_forms(), half_forms(), conversion_forms(), move_forms(),
                           uniform_forms(), warp_forms()})
    for (const Form& form : group) {
      // These are tested in tests/regression/code_values.
      if (form.op == Opcode::kUldc || form.op == Opcode::kB2r) continue;
      EXPECT_TRUE(forms.contains(&form)) << fmt::format("{:#x} {}", form.code, form.name);
      for (const ModifierSpec& modifier : form.modifiers)
        for (unsigned code = 0; code < modifier.names.count; ++code) {
          const char* const text = modifier.names.text[code];
          if (text == nullptr || modifier.id == Modifier::kNone) continue;
          EXPECT_TRUE(have.contains({&form, modifier.id, code}))
              << fmt::format("{:#x} ", form.code) << form.name << " " << name_of(modifier.id) << " " << text;
        }
    }
}

TEST(LaneOperations, ThatAreNotKnownAreRefusedByName) {
  for (const Refusal& of : kRefusals) {
    const Word word = word_with({of.word, of.fields, "", "", of.arch});
    try {
      const LoweredInstruction one(word, of.arch);
      ADD_FAILURE() << of.word << " " << of.fields << " is not refused";
    } catch (const base::InputError& error) {
      EXPECT_NE(std::string(error.what()).find(of.why), std::string::npos) << error.what();
    }
  }
}

TEST(LaneOperations, ReadSpecialRegisters) {
  using isa::SpecialRow;
  constexpr std::pair<unsigned, SpecialRow> kRows[] = {
      {0x00, SpecialRow::kLaneId},     {0x21, SpecialRow::kTidX},
      {0x22, SpecialRow::kTidY},       {0x23, SpecialRow::kTidZ},
      {0x25, SpecialRow::kCtaidX},     {0x26, SpecialRow::kCtaidY},
      {0x27, SpecialRow::kCtaidZ},     {0x32, SpecialRow::kTotalSharedSize},
      {0x38, SpecialRow::kLanemaskEq}, {0x39, SpecialRow::kLanemaskLt},
      {0x3a, SpecialRow::kLanemaskLe}, {0x3b, SpecialRow::kLanemaskGt},
      {0x3c, SpecialRow::kLanemaskGe}, {0x43, SpecialRow::kSmId},
  };
  for (const auto& [id, row] : kRows)
    for (const char* const word :
         {"0000000000007919 000e220000002100", "00000000000079c3 000e620000008800"}) {
      LoweredInstruction one(word_with({word, fmt::format("72:8={}", id).c_str(), "", ""}), Arch::kSm90);
      one.set_special(row, 1000 + id);
      one.run(0xffff'ffffu);
      EXPECT_EQ(one.get(one.instruction().op == Opcode::kS2r ? "R0" : "UR0", 5), 1000 + id) << one.text();
    }
  // As ptxas reads them: (x >> 8) & 0x7f.
  for (const auto& [id, row] : {std::pair{2, SpecialRow::kNwarpId}, std::pair{3, SpecialRow::kWarpId}}) {
    LoweredInstruction warp(
        word_with({"0000000000007919 000e220000002100", fmt::format("72:8={}", id).c_str(), "", ""}),
        Arch::kSm90);
    warp.set_special(row, 5);
    warp.run(0xffff'ffffu);
    EXPECT_EQ(warp.get("R0", 0), 0x500u);
  }
}

TEST(LaneOperations, ReadTheClockAndTheTimer) {
  constexpr std::uint64_t kNow = 0x1122'3344'5566'7788;
  for (const unsigned id : {0x50u, 0x51u, 0x52u, 0x53u}) {
    LoweredInstruction one(
        word_with({"0000000000007919 000e220000002100", fmt::format("72:8={}", id).c_str(), "", ""}),
        Arch::kSm90);
    EXPECT_TRUE(one.lowered().time_dependent);
    EXPECT_EQ(one.lowered().op, id < 0x52 ? isa::Opcode::kLane : isa::Opcode::kTimer);
    one.run(0xffff'ffffu, kNow);
    EXPECT_EQ(one.get("R0", 9), id % 2 == 0 ? 0x5566'7788u : 0x1122'3344u);
  }
  for (const unsigned id : {0x50u, 0x52u}) {
    LoweredInstruction one(
        word_with({"00000000000e7805 000fe2000001ff00", fmt::format("72:8={}", id).c_str(), "", ""}),
        Arch::kSm90);
    one.run(0xffff'ffffu, kNow);
    EXPECT_EQ(one.get("R14", 9), 0x5566'7788u);
    EXPECT_EQ(one.get("R15", 9), 0x1122'3344u);
  }
}

TEST(LaneOperations, SayWhatTheyAre) {
  const auto of = [](const char* word) { return LoweredInstruction(word_of(word), Arch::kSm90); };
  const LoweredInstruction compare = of("000000000300720c 000fda0003f06270");
  EXPECT_TRUE(compare.lowered().compare);
  EXPECT_FALSE(compare.lowered().cross_lane);
  EXPECT_EQ(compare.lowered().unit, isa::Unit::kSp);
  const LoweredInstruction vote = of("0000000000027806 000fe200038e0100");
  EXPECT_TRUE(vote.lowered().cross_lane);
  EXPECT_EQ(vote.lowered().member_mask, isa::Instruction::kNoMemberMask);
  EXPECT_EQ(of("0000000600067308 002e220000001000").lowered().unit, isa::Unit::kSfu);
  EXPECT_EQ(of("000000040404722b 000fd00000000004").lowered().latency_class, isa::LatencyClass::kDpMad);
  // I2I.S16.S32.SAT R0, R2: ptxas reads its result four cycles behind it.
  EXPECT_EQ(of("0000000200007238 004fc80000003000").lowered().latency_class, isa::LatencyClass::kIntSimple);
  // A load is none of them.
  EXPECT_FALSE(of("0000000802027981 000ea2000c1e1900").is_lane_operation());
}

}  // namespace
}  // namespace heddle::sass::lane_test
