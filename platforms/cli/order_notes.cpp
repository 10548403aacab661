#include "cli/order_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace heddle::cli {
namespace {

using isa::Instruction;

bool is_atomic(const Instruction& instruction) {
  return instruction.op == isa::Opcode::kAtomic && !isa::on_barrier(instruction.atomic_op);
}

bool adds_floats(const Instruction& instruction) {
  return is_atomic(instruction) && instruction.atomic_op == isa::AtomicOp::kAdd &&
         isa::is_float(instruction.type);
}

bool reads_clock(const Instruction& instruction) { return instruction.time_dependent; }

bool reads_location(const Instruction& instruction) {
  using isa::SpecialRow;
  return std::ranges::any_of(instruction.src, [](const isa::Operand& operand) {
    return operand.present && operand.space == isa::RowSpace::kSpecial &&
           (operand.offset == isa::special_offset(SpecialRow::kSmId) ||
            operand.offset == isa::special_offset(SpecialRow::kNsmId) ||
            operand.offset == isa::special_offset(SpecialRow::kWarpId) ||
            operand.offset == isa::special_offset(SpecialRow::kNwarpId));
  });
}

/// A result that no instruction reads is one of `red`.
bool uses_old_value(const isa::Kernel& kernel) {
  std::set<isa::RegId> read;
  for (const Instruction& each : kernel.code)
    read.insert(each.reads.begin(), each.reads.begin() + each.read_count);
  return std::ranges::any_of(kernel.code, [&](const Instruction& each) {
    return is_atomic(each) && std::any_of(each.writes.begin(), each.writes.begin() + each.write_count,
                                          [&](isa::RegId written) { return read.contains(written); });
  });
}

struct Fact {
  bool (*holds)(const Instruction&);
  const char* text;
};
constexpr Fact kFacts[] = {{adds_floats, "adds floating-point numbers by atomics"},
                           {reads_clock, "reads a clock"},
                           {reads_location, "asks which core or warp slot it has"}};

}  // namespace

std::string order_dependence(const isa::Kernel& kernel) {
  std::vector<std::string> facts;
  for (const Fact& fact : kFacts)
    if (std::ranges::any_of(kernel.code, fact.holds)) facts.emplace_back(fact.text);
  if (uses_old_value(kernel)) facts.emplace_back("uses what atomics return");
  return fmt::format("{}", fmt::join(facts, ", "));
}

std::string text_of(const OrderNote& note) {
  return fmt::format("{}\t{}\t{}\n", note.copies, note.kernel, note.does);
}

std::vector<OrderNote> order_notes_of(const std::string& text) {
  std::vector<OrderNote> notes;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    OrderNote note;
    words >> note.copies;
    words.ignore();
    std::getline(words, note.kernel, '\t');
    std::getline(words, note.does);
    notes.push_back(std::move(note));
  }
  return notes;
}

std::string remedy_for_difference(const std::vector<OrderNote>& notes, std::size_t copy) {
  constexpr std::size_t kShown = 8;
  std::string lines;
  std::size_t count = 0;
  for (const OrderNote& note : notes)
    if (note.copies <= copy && ++count <= kShown) lines += fmt::format("    {} {}\n", note.kernel, note.does);
  if (count > kShown) lines += fmt::format("    and {} other kernels do such things\n", count - kShown);
  const std::string race =
      "the program has a race, or model and oracle differ: heddle run --check oracle finds the kernel.";
  if (count == 0)
    return "No kernel that was launched before adds floating-point numbers by atomics, uses what atomics "
           "return, "
           "reads a clock or asks where it runs. Either " +
           race;
  return "Before, kernels were launched whose results may depend on the order of threads or on time:\n" +
         lines + "  If the difference is not theirs, " + race;
}

}  // namespace heddle::cli
