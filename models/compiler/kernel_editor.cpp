#include "compiler/kernel_editor.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/lane_mask.h"
#include "isa/each_operand.h"

namespace heddle::compiler {

using base::Pc;
using isa::Instruction;
using isa::Opcode;
using isa::RegId;
using isa::RowWidth;

bool KernelEditor::is_entry(std::uint32_t pc) const {
  return pc == 0 || std::any_of(kernel_.functions.begin(), kernel_.functions.end(),
                                [&](const auto& f) { return f.first == pc || f.entry == pc; });
}

bool KernelEditor::falls_through(std::uint32_t pc) const {
  const Instruction& instruction = kernel_.code[pc];
  if (instruction.guard.present) return true;
  switch (instruction.op) {
    case Opcode::kBranch:
    case Opcode::kIndirect:
    case Opcode::kReturn:
    case Opcode::kExit:
    case Opcode::kTrap:
      return false;
    default:
      return true;
  }
}

bool KernelEditor::insert_before(Pc pc, Entry entry, Instruction instruction) {
  const std::uint32_t gap = pc.value();
  if (gap >= kernel_.code.size()) throw std::logic_error("insertion behind the code");
  const Where where = entry == Entry::kJumpsToo ? Where::kJumpsToo : Where::kFallThrough;
  if (where == Where::kFallThrough && !is_entry(gap) && !falls_through(gap - 1)) return false;
  if (instruction.where.line == 0) instruction.where = kernel_.code[gap].where;
  insertions_.push_back({gap, where, instruction, static_cast<std::uint32_t>(insertions_.size())});
  return true;
}

bool KernelEditor::insert_after(Pc pc, Instruction instruction) {
  if (pc.value() >= kernel_.code.size()) throw std::logic_error("insertion behind the code");
  if (!falls_through(pc.value())) return false;
  if (instruction.where.line == 0) instruction.where = kernel_.code[pc.value()].where;
  insertions_.push_back(
      {pc.value() + 1, Where::kBehind, instruction, static_cast<std::uint32_t>(insertions_.size())});
  return true;
}

void KernelEditor::insert_apart(Pc pc, Instruction instruction) {
  const std::uint32_t gap = pc.value();
  if (gap == 0 || gap > kernel_.code.size() || falls_through(gap - 1))
    throw std::logic_error("threads would run into what is inserted apart");
  if (instruction.where.line == 0) instruction.where = kernel_.code[gap - 1].where;
  insertions_.push_back({gap, Where::kApart, instruction, static_cast<std::uint32_t>(insertions_.size())});
}

void KernelEditor::retarget(Pc branch, const std::vector<Pc>& table) {
  Instruction& instruction = at(branch);
  instruction.table_first = static_cast<std::uint32_t>(kernel_.targets.size());
  instruction.table_count = static_cast<std::uint32_t>(table.size());
  kernel_.targets.insert(kernel_.targets.end(), table.begin(), table.end());
}

isa::Operand KernelEditor::new_register(RowWidth width, const std::string& name) {
  const std::size_t number = registers_ + new_registers_.size();
  if (number + 1 >= isa::kNoReg) throw std::length_error("too many registers");
  new_registers_.push_back({width, name});
  isa::Operand operand;
  operand.reg = static_cast<RegId>(number);
  operand.width = width;
  operand.present = true;
  return operand;
}

isa::Operand KernelEditor::constant(RowWidth width, std::uint64_t bits) {
  const std::size_t element = width == RowWidth::k64 ? 8 : 4;
  const std::size_t bytes = element * (width == RowWidth::kPredicate ? 1 : base::kLanes);
  isa::Operand operand;
  operand.offset = static_cast<std::uint32_t>(kernel_.constants.size());
  operand.space = isa::RowSpace::kConstant;
  operand.width = width;
  operand.present = true;
  kernel_.constants.resize(kernel_.constants.size() +
                           (bytes + isa::kRowAlignment - 1) / isa::kRowAlignment * isa::kRowAlignment);
  isa::broadcast(kernel_.constants.data() + operand.offset, width, bits);
  return operand;
}

void KernelEditor::set_constant(const isa::Operand& row, std::uint64_t bits) {
  isa::broadcast(kernel_.constants.data() + row.offset, row.width, bits);
}

void KernelEditor::enlarge_frame(std::uint32_t function, std::uint32_t bytes) {
  isa::FunctionCode& code = kernel_.functions[function];
  const std::uint32_t align = code.frame_align;
  code.frame_bytes = (code.frame_bytes + bytes + align - 1) / align * align;
  set_constant(code.frame_size, code.frame_bytes);
}

isa::Operand KernelEditor::code_pointer(RowWidth width, Pc pc, bool as_address) {
  const isa::Operand row = constant(width, 0);
  kernel_.code_pointers.push_back({row.offset, width, pc, false, as_address});
  return row;
}

void KernelEditor::finish() {
  if (kernel_.recursion != nullptr) throw std::logic_error("recursions must be saved before code moves");
  if (!new_registers_.empty()) number_registers();
  lay_out();
  move_code();
  move_pointers();
  kernel_.live_at_loop_heads.clear();
  kernel_.facts.forget();
}

/// New rows are placed after the existing ones of their width, which shifts everything that follows.
void KernelEditor::number_registers() {
  const isa::RegisterLayout old = kernel_.registers;
  isa::RegisterLayout& layout = kernel_.registers;
  for (const NewRegister& added : new_registers_)
    ++(added.width == RowWidth::k32   ? layout.rows32
       : added.width == RowWidth::k64 ? layout.rows64
                                      : layout.predicates);
  const std::array<std::uint32_t, 3> first_new{old.rows32, layout.rows32 + old.rows64,
                                               layout.rows32 + layout.rows64 + old.predicates};
  std::vector<RegId> numbers;
  for (std::uint32_t reg = 0; reg < registers_; ++reg) {
    std::uint32_t number = reg;
    if (reg >= old.rows32) number += layout.rows32 - old.rows32;
    if (reg >= old.rows32 + old.rows64) number += layout.rows64 - old.rows64;
    numbers.push_back(static_cast<RegId>(number));
  }
  std::array<std::uint32_t, 3> next = first_new;
  for (const NewRegister& added : new_registers_) {
    std::uint32_t& number = next[added.width == RowWidth::k32 ? 0u : added.width == RowWidth::k64 ? 1u : 2u];
    numbers.push_back(static_cast<RegId>(number++));
  }
  std::vector<std::string> names(layout.registers());
  for (std::size_t i = 0; i < kernel_.register_names.size(); ++i)
    names[numbers[i]] = std::move(kernel_.register_names[i]);
  for (std::size_t i = 0; i < new_registers_.size(); ++i)
    names[numbers[registers_ + i]] = new_registers_[i].name;
  kernel_.register_names = std::move(names);
  for (Instruction& instruction : kernel_.code) renumber(instruction, numbers);
  for (Insertion& insertion : insertions_) renumber(insertion.instruction, numbers);
  for (isa::FunctionCode& function : kernel_.functions) renumber(function.frame, numbers);
}

void KernelEditor::renumber(isa::Operand& operand, const std::vector<RegId>& numbers) const {
  if (!operand.present || operand.space != isa::RowSpace::kRegister) return;
  operand.reg = numbers.at(operand.reg);
  operand.offset = kernel_.registers.row(operand.reg).offset;
}

void KernelEditor::renumber(Instruction& instruction, const std::vector<RegId>& numbers) const {
  isa::for_each_operand(instruction, [&](isa::Operand& operand) { renumber(operand, numbers); });
}

void KernelEditor::lay_out() {
  std::stable_sort(insertions_.begin(), insertions_.end(), [](const Insertion& a, const Insertion& b) {
    return a.gap != b.gap ? a.gap < b.gap : a.where < b.where;
  });
  inserted_.resize(insertions_.size());
  std::uint32_t now = 0;
  auto next = insertions_.begin();
  const auto pass = [&](std::uint32_t gap, Where where) {
    for (; next != insertions_.end() && next->gap == gap && next->where == where; ++next)
      inserted_[next->number] = now++;
  };
  for (std::uint32_t pc = 0; pc <= kernel_.code.size(); ++pc) {
    pass(pc, Where::kApart);
    pass(pc, Where::kBehind);
    enter_.push_back(now);
    pass(pc, Where::kFallThrough);
    jump_.push_back(now);
    pass(pc, Where::kJumpsToo);
    at_.push_back(now++);
  }
}

Pc KernelEditor::jump(Pc old) const {
  if (old == base::kNoPc) return old;
  if (old.value() >= kInserted) return Pc(inserted_.at(old.value() - kInserted));
  if (old.value() >= kItself) return Pc(at_.at(old.value() - kItself));
  return Pc(jump_.at(old.value()));
}
Pc KernelEditor::enter(Pc old) const { return old == base::kNoPc ? old : Pc(enter_.at(old.value())); }

/// What is inserted behind a BSYNC is executed by the lanes that meet there.
Pc KernelEditor::resume(Pc target) const {
  return Pc(
      (target.value() >= kInserted ? inserted_.at(target.value() - kInserted) : at_.at(target.value() - 1)) +
      1);
}

void KernelEditor::retarget(Instruction& instruction, std::uint32_t now) const {
  if (instruction.op == Opcode::kConvergence) {
    if (instruction.target != base::kNoPc) instruction.target = resume(instruction.target);
    return;
  }
  const bool call = instruction.op == Opcode::kCall;
  instruction.target = call ? enter(instruction.target) : jump(instruction.target);
  instruction.rpc = call ? Pc(now + 1) : jump(instruction.rpc);
}

void KernelEditor::move_tables(std::uint32_t first, std::uint32_t count, bool calls,
                               std::vector<bool>& moved) {
  for (std::uint32_t i = first; i < first + count; ++i) {
    if (moved.at(i)) continue;
    kernel_.targets[i] = calls ? enter(kernel_.targets[i]) : jump(kernel_.targets[i]);
    moved[i] = true;
  }
}

void KernelEditor::move_code() {
  std::vector<Instruction> old = std::move(kernel_.code);
  std::vector<bool> moved(kernel_.targets.size(), false);
  kernel_.code.clear();
  kernel_.code.reserve(old.size() + insertions_.size());
  const auto add = [&](Instruction instruction) {
    retarget(instruction, static_cast<std::uint32_t>(kernel_.code.size()));
    move_tables(instruction.table_first, instruction.table_count, instruction.op == Opcode::kCall, moved);
    isa::list_registers(instruction);
    kernel_.code.push_back(instruction);
  };
  auto next = insertions_.begin();
  for (std::uint32_t pc = 0; pc <= old.size(); ++pc) {
    for (; next != insertions_.end() && next->gap == pc; ++next) {
      next->instruction.inserted = true;
      add(next->instruction);
    }
    if (pc < old.size()) add(old[pc]);
  }
  insertions_.clear();
}

void KernelEditor::move_pointers() {
  for (isa::CodePointer& pointer : kernel_.code_pointers) {
    pointer.pc = pointer.behind_call            ? Pc(at_.at(pointer.pc.value() - 1) + 1)
                 : is_entry(pointer.pc.value()) ? enter(pointer.pc)
                                                : jump(pointer.pc);
    isa::broadcast(kernel_.constants.data() + pointer.offset, pointer.width,
                   pointer.as_address ? kernel_.code_address(pointer.pc) : pointer.pc.value());
  }
  for (Pc& point : kernel_.likely_convergence) point = jump(point);
  for (isa::LikelyPoint& likely : kernel_.likely_points)
    likely = {Pc(at_.at(likely.branch.value())), jump(likely.point)};
  for (isa::SpinMark& mark : kernel_.spin_marks) mark.pc = Pc(at_.at(mark.pc.value()));
  for (auto& [address, function] : kernel_.function_addresses) function.entry = enter(function.entry);
  for (isa::VariableUse& use : kernel_.variable_uses) use.instruction = at_.at(use.instruction);
  // Must be last: the other steps ask which PCs are entries.
  for (isa::FunctionCode& function : kernel_.functions) {
    function.first = enter_.at(function.first);
    function.entry = enter_.at(function.entry);
    function.end = enter_.at(function.end);
  }
}

}  // namespace heddle::compiler
