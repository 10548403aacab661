#include "test_passes.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "compiler/kernel_editor.h"
#include "compiler/list_schedule.h"
#include "isa/lane_ops.h"

namespace heddle::testing {
namespace {

using base::Pc;
using compiler::Entry;
using compiler::KernelEditor;
using isa::Instruction;
using isa::LaneOp;
using isa::Opcode;
using isa::Operand;
using isa::RowWidth;
using isa::Type;

Instruction lane(LaneOp op, Type type, const Operand& dst, std::initializer_list<Operand> src,
                 isa::Compare compare = isa::Compare::kEq) {
  isa::LaneSpec spec;
  spec.op = op;
  spec.type = type;
  spec.compare = compare;
  Instruction out;
  out.op = Opcode::kLane;
  out.lane_fn = isa::find_lane_fn(spec);
  out.dst[0] = dst;
  std::copy(src.begin(), src.end(), out.src.begin());
  return out;
}

/// Instructions at every insertion point, or at one of `one_in`.
class Insert : public compiler::Pass {
 public:
  enum What : unsigned { kNothing = 1, kCount = 2, kEither = 3 };
  Insert(std::string name, What what, unsigned one_in)
      : name_(std::move(name)), what_(what), one_in_(one_in) {}
  [[nodiscard]] std::string_view name() const override { return name_; }

  void run(isa::Kernel& kernel) const override {
    KernelEditor editor(kernel);
    const Operand counter = editor.new_register(RowWidth::k32, "(lane counter)");
    const Operand one = editor.constant(RowWidth::k32, 1);
    std::mt19937 random(static_cast<unsigned>(kernel.code.size()));
    const auto something = [&] {
      const bool count = what_ == kCount || (what_ == kEither && random() % 2 == 0);
      return count ? lane(LaneOp::kAdd, Type::kU32, counter, {counter, one}) : Instruction{};
    };
    const auto wanted = [&] { return random() % one_in_ == 0; };
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      if (wanted()) editor.insert_before(Pc(pc), Entry::kJumpsToo, something());
      if (wanted()) editor.insert_before(Pc(pc), Entry::kFallThrough, something());
      if (wanted()) editor.insert_after(Pc(pc), something());
    }
    editor.finish();
  }

 private:
  std::string name_;
  What what_;
  unsigned one_in_;
};

class SecondGuard : public compiler::Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "second_guard"; }
  void run(isa::Kernel& kernel) const override {
    const isa::RegisterLayout layout = kernel.registers;
    if (layout.predicates == 0 || layout.rows32 == 0) return;
    KernelEditor editor(kernel);
    const Operand garbage = editor.constant(RowWidth::k32, 0x5a5a'5a5a);
    std::mt19937 random(static_cast<unsigned>(kernel.code.size()));
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      Instruction never = lane(LaneOp::kMov, Type::kB32,
                               layout.row(static_cast<isa::RegId>(random() % layout.rows32)), {garbage});
      never.guard =
          layout.row(static_cast<isa::RegId>(layout.rows32 + layout.rows64 + random() % layout.predicates));
      never.guard2 = never.guard;
      (random() % 2 == 0 ? never.guard : never.guard2).negated = true;
      editor.insert_before(Pc(pc), Entry::kJumpsToo, never);
    }
    editor.finish();
  }
};

class CodeAddresses : public compiler::Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "code_addresses"; }
  void run(isa::Kernel& kernel) const override {
    kernel.instruction_bytes = 16;
    for (isa::CodePointer& pointer : kernel.code_pointers) pointer.as_address = true;
    KernelEditor editor(kernel);
    const Operand to = editor.new_register(RowWidth::k32, "(target)");
    const Operand here = editor.new_register(RowWidth::kPredicate, "(is it)");
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      Instruction& at = editor.at(Pc(pc));
      if (at.op == Opcode::kReturn) at.target_is_address = true;
      if (at.op != Opcode::kIndirect) continue;
      at.target_is_address = true;
      // An index that is not in the table must not select a target.
      const auto before = [&](const Instruction& added) {
        editor.insert_before(Pc(pc), Entry::kJumpsToo, added);
      };
      before(lane(LaneOp::kMov, Type::kB32, to, {editor.constant(RowWidth::k32, 1)}));
      for (std::uint32_t i = 0; i < at.table_count; ++i) {
        const Operand row = editor.code_pointer(RowWidth::k32, kernel.targets[at.table_first + i], true);
        before(lane(LaneOp::kSetp, Type::kU32, here, {at.src[0], editor.constant(RowWidth::k32, i)}));
        before(lane(LaneOp::kSelp, Type::kB32, to, {row, to, here}));
      }
      at.src[0] = to;
    }
    editor.finish();
  }
};

class LaunchConstants : public compiler::Pass {
 public:
  [[nodiscard]] std::string_view name() const override { return "launch_constants"; }
  void run(isa::Kernel& kernel) const override {
    KernelEditor editor(kernel);
    const auto launched = [&](RowWidth width, isa::LaunchValue value, std::uint32_t offset = 0) {
      const Operand row = editor.constant(width, 0xdead'beef);
      kernel.launch_constants.push_back({row.offset, width, value, offset});
      return row;
    };
    constexpr std::pair<isa::SpecialRow, isa::LaunchValue> kShape[] = {
        {isa::SpecialRow::kNtidX, isa::LaunchValue::kBlockX},
        {isa::SpecialRow::kNtidY, isa::LaunchValue::kBlockY},
        {isa::SpecialRow::kNtidZ, isa::LaunchValue::kBlockZ},
        {isa::SpecialRow::kNctaidX, isa::LaunchValue::kGridX},
        {isa::SpecialRow::kNctaidY, isa::LaunchValue::kGridY},
        {isa::SpecialRow::kNctaidZ, isa::LaunchValue::kGridZ},
        {isa::SpecialRow::kDynamicSharedSize, isa::LaunchValue::kDynamicShared},
        {isa::SpecialRow::kTotalSharedSize, isa::LaunchValue::kTotalShared}};
    for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
      Instruction& at = editor.at(Pc(pc));
      for (Operand& source : at.src) {
        if (!source.present || source.space != isa::RowSpace::kSpecial) continue;
        for (const auto& [row, value] : kShape)
          if (source.offset == isa::special_offset(row)) {
            source = launched(RowWidth::k32, value);
            break;
          }
      }
      const unsigned bytes = isa::type_bytes(at.type);
      if (at.op != Opcode::kLoad || at.space != isa::StateSpace::kParam || at.memory.base.present ||
          at.vector != 1 || bytes < 4 || !at.dst[0].present ||
          (at.dst[0].width == RowWidth::k64) != (bytes == 8))
        continue;
      const Operand row = launched(at.dst[0].width, isa::LaunchValue::kParameter,
                                   static_cast<std::uint32_t>(at.memory.displacement));
      Instruction move = lane(LaneOp::kMov, bytes == 8 ? Type::kB64 : Type::kB32, at.dst[0], {row});
      move.guard = at.guard;
      move.where = at.where;
      at = move;
    }
    editor.finish();
  }
};

}  // namespace

const std::vector<TestPass>& test_passes() {
  static const std::vector<TestPass> all{
      // First: of code without what the others insert, as placement is.
      {"list_schedule",
       [] { return std::make_shared<const compiler::ListSchedule>(compiler::ScheduleOptions{}); }},
      {"no_operations", [] { return std::make_shared<const Insert>("no_operations", Insert::kNothing, 1); }},
      {"lane_counter", [] { return std::make_shared<const Insert>("lane_counter", Insert::kCount, 1); }},
      {"anywhere", [] { return std::make_shared<const Insert>("anywhere", Insert::kEither, 3); }},
      {"second_guard", [] { return std::make_shared<const SecondGuard>(); }},
      {"code_addresses", [] { return std::make_shared<const CodeAddresses>(); }},
      {"launch_constants", [] { return std::make_shared<const LaunchConstants>(); }}};
  return all;
}

std::shared_ptr<const compiler::Pass> test_pass(const std::string& name) {
  for (const TestPass& pass : test_passes())
    if (name == pass.name) return pass.make();
  throw std::logic_error("no test pass " + name);
}

void add_test_passes(compiler::Pipeline& pipeline) {
  for (const TestPass& pass : test_passes()) pipeline.add(compiler::Stage::kTransform, pass.make());
}

}  // namespace heddle::testing
