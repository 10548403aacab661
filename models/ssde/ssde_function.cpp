#include "ssde/ssde_function.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::ssde {

using ptx::Instruction;
using ptx::Operand;
using ptx::SymbolName;

using analysis::BlockId;
using analysis::SwitchCase;
using base::kNoPc;
using base::Pc;
using isa::Opcode;

namespace {

bool ends_thread(const isa::Instruction& instruction) {
  return instruction.op == Opcode::kExit || instruction.op == Opcode::kReturn;
}

std::string guard_of(const Instruction& instruction) {
  if (instruction.guard.empty()) return "";
  return fmt::format("@{}{} ", instruction.guard_negated ? "!" : "", instruction.guard);
}

const std::string& label_of(const Operand& operand) { return std::get<SymbolName>(operand.value).name; }

}  // namespace

SsdeFunction::SsdeFunction(TextEdit& edit, const FunctionText& text, const analysis::CodeAnalysis& code,
                           const std::vector<analysis::LoopFinding>& findings, std::string prefix,
                           bool keep_lines)
    : edit_(edit),
      text_(text),
      code_(code),
      findings_(findings),
      prefix_(std::move(prefix)),
      keep_lines_(keep_lines) {}

const SsdeFunction::Item& SsdeFunction::item_of(std::uint32_t instruction) const {
  return text_.items().at(text_.at(at(instruction).where));
}

bool SsdeFunction::is_implicit_end(std::uint32_t i) const {
  const auto& where = at(i).where;
  return ends_thread(at(i)) && i > code_.range_of(i).first && at(i - 1).where.line == where.line &&
         at(i - 1).where.column == where.column;
}

std::uint32_t SsdeFunction::scope_of(Pc point) const {
  return point == kNoPc || is_implicit_end(point.value()) ? 0 : item_of(point.value()).scope;
}

/// The first program point from `point` on whose scope is visible to the latch, and from which the header's
/// labels are visible.
std::optional<Pc> SsdeFunction::visible_point(const SwitchCase& one, Pc point) const {
  const std::uint32_t latch = item_of(code_.cfg().block(one.latch).end - 1).scope;
  while (!text_.visible(scope_of(point), latch)) point = code_.post_dominators().next(point);
  const Item& header = item_of(code_.cfg().block(one.header).first);
  const std::uint32_t scope = scope_of(point);
  const bool named = std::any_of(header.labels.begin(), header.labels.end(),
                                 [&](const auto& l) { return text_.visible(l.scope, scope); });
  if (!named && !text_.visible(header.scope, scope)) return std::nullopt;
  return point;
}

void SsdeFunction::refuse(const SwitchCase& one, std::string reason, SsdeResult& result) const {
  result.refusals.push_back(
      {text_.function().name, at(code_.cfg().block(one.header).first).where, std::move(reason)});
}

std::string SsdeFunction::name(char sign, const char* what, unsigned number) const {
  return fmt::format("{}{}_{}{}", sign, prefix_, what, number);
}

std::string SsdeFunction::lines(const std::vector<std::string>& statements) const {
  return fmt::format("{}", fmt::join(statements, keep_lines_ ? " " : "\n\t"));
}

void SsdeFunction::insert_before(const Item& item, const std::vector<std::string>& statements) {
  edit_.insert(item.from, lines(statements) + (keep_lines_ ? " " : "\n\t"));
}

void SsdeFunction::insert_behind(const Item& item, const std::vector<std::string>& statements) {
  edit_.insert(item.end, (keep_lines_ ? " " : "\n\t") + lines(statements));
}

void SsdeFunction::run(const analysis::EliminationPlan& plan, std::uint32_t function, SsdeResult& result) {
  std::map<std::uint32_t, Switch> by_point;
  for (const analysis::SwitchBlock& block : plan.switches) {
    if (block.function != function) continue;
    for (const SwitchCase& planned : block.cases) {
      Case one{planned, 1};
      const auto point = visible_point(one, block.point);
      if (!point) {
        refuse(one,
               "its beginning lies within { }, where a label cannot be reached from outside: take the "
               "braces away",
               result);
        continue;
      }
      Switch& sw = by_point[point->value()];
      sw.point = *point;
      sw.scope = scope_of(*point);
      // Loops with the same header share a value: the switch has one edge back to it.
      const auto same = std::find_if(sw.cases.begin(), sw.cases.end(),
                                     [&](const Case& known) { return known.header == one.header; });
      one.value = same != sw.cases.end() ? same->value : sw.values++ + 1;
      sw.cases.push_back(one);
    }
  }
  if (by_point.empty()) return;
  for (auto& [point, sw] : by_point) {
    sw.number = static_cast<unsigned>(switches_.size());
    switches_.push_back(std::move(sw));
  }
  for (const Switch& sw : switches_)
    if (sw.point != kNoPc && !is_implicit_end(sw.point.value()))
      behind_switches_.insert(index_of(item_of(sw.point.value())));
  declare();
  // Inserted before one statement, in this order: its switch, the entry of a loop, and the assignment of a
  // latch.
  for (const Switch& sw : switches_) write_switch(sw, result);
  insert_entrances();
  for (const Switch& sw : switches_)
    for (const Case& one : sw.cases) retarget(sw, one);
  finish_tables();
  for (const Switch& sw : switches_)
    for (const std::uint32_t branch : analysis::early_exits_to(code_, sw.point)) keep_early_exits(branch);
  if (join_) join_returns();
  finish_end();
}

void SsdeFunction::declare() {
  const std::string registers =
      fmt::format(".reg .pred {};{}.reg .b32 {}, %{}_c<{}>;", name('%', "p", 0), keep_lines_ ? " " : "\n\t",
                  name('%', "t", 0), prefix_, switches_.size());
  edit_.insert(text_.body_begin(), (keep_lines_ ? " " : "\n\t") + registers);
  std::string clear;
  for (const Switch& sw : switches_)
    clear += fmt::format("mov.u32 {}, 0;{}", state(sw), keep_lines_ ? " " : "\n\t");
  edit_.insert(text_.first_statement(), clear);
}

/// A label at the header that is visible from the switch.
std::string SsdeFunction::entrance(const Switch& sw, const Case& one) {
  const Item& header = item_of(code_.cfg().block(one.header).first);
  const std::size_t index = index_of(header);
  if (const auto known = entrances_.find(index); known != entrances_.end()) return known->second.label;
  // With a switch before it, the header's own labels lead to that switch.
  if (!one.shared_header && !behind_switches_.contains(index))
    for (const auto& here : header.labels)
      if (text_.visible(here.scope, sw.scope)) return here.name;
  return (entrances_[index] = {name('$', "h", labels_++), state(sw)}).label;
}

void SsdeFunction::insert_entrances() {
  // Clearing a register that is already clear creates a separate block for threads that do not come through
  // the switch.
  for (const auto& [index, entrance] : entrances_)
    insert_before(text_.items()[index],
                  {fmt::format("mov.u32 {}, 0;", entrance.state), entrance.label + ":"});
}

void SsdeFunction::write_switch(const Switch& sw, SsdeResult& result) {
  SsdeSwitch done;
  done.function = text_.function().name;
  std::vector<std::string> text;
  const std::string t = name('%', "t", 0);
  const std::string p = name('%', "p", 0);
  std::vector<Case> cases;
  for (const Case& one : sw.cases)
    if (cases.empty() || cases.back().value < one.value) cases.push_back(one);
  for (const Case& one : cases) done.loops.push_back(at(code_.cfg().block(one.header).first).where.line);
  if (!keep_lines_)
    text.push_back(fmt::format("// SSDE: back to the loop{} of line{} {}", cases.size() > 1 ? "s" : "",
                               cases.size() > 1 ? "s" : "", fmt::join(done.loops, ", ")));
  text.push_back(label(sw) + ":");
  text.push_back(fmt::format("mov.u32 {}, {};", t, state(sw)));
  text.push_back(fmt::format("mov.u32 {}, 0;", state(sw)));
  // First separate the threads that leave from all that go back, then distinguish the latter: they reconverge
  // at the switch again, each after one attempt. If each case diverged from the rest, the lanes of one loop
  // could wait forever for those of another, which run after them (two locks, [SSDE] §4.2.1).
  const bool several = cases.size() > 1;
  const std::string onward = several ? name('$', "on", labels_++) : std::string{};
  if (several) {
    text.push_back(fmt::format("setp.eq.u32 {}, {}, 0;", p, t));
    text.push_back(fmt::format("@{} bra {};", p, onward));
  }
  for (const Case& one : cases) {
    const std::string header = entrance(sw, one);
    if (several && &one == &cases.back()) {
      text.push_back(fmt::format("bra {};", header));
      text.push_back(onward + ":");
      break;
    }
    text.push_back(fmt::format("setp.eq.u32 {}, {}, {};", p, t, one.value));
    text.push_back(fmt::format("@{} bra {};", p, header));
  }
  if (sw.point == kNoPc) {
    join_ = true;
    text.insert(text.begin(), name('$', "end", 0) + ":");
    at_end_.insert(at_end_.end(), text.begin(), text.end());
    at_end_.emplace_back("ret;");
  } else if (is_implicit_end(sw.point.value())) {
    if (several) text.emplace_back("ret;");  // a label needs an instruction after it
    at_end_.insert(at_end_.begin(), text.begin(), text.end());
  } else {
    const Item& item = item_of(sw.point.value());
    done.line = item.instruction->where.line;
    insert_before(item, text);
  }
  result.switches.push_back(std::move(done));
}

/// Redirects a latch to the switch.
void SsdeFunction::retarget(const Switch& sw, const Case& one) {
  const std::uint32_t last = code_.cfg().block(one.latch).end - 1;
  const Item& item = item_of(last);
  const Instruction& instruction = *item.instruction;
  const Item& header_item = item_of(code_.cfg().block(one.header).first);
  const std::size_t header = index_of(header_item);
  const std::string set = fmt::format("mov.u32 {}, {};", state(sw), one.value);
  if (instruction.opcode == "bra" && text_.target(label_of(instruction.operands[0]), item.scope) == header) {
    insert_before(item, {guard_of(instruction) + set});
    edit_.replace(edit_.offset(instruction.operands[0].where), label_of(instruction.operands[0]).size(),
                  label(sw));
  } else if (instruction.opcode == "brx") {
    retarget_table(item, header, sw, one.value);
  }
  // The header directly follows the latch: no branch leads to it.
  const bool falls = (at(last).op != Opcode::kBranch && at(last).op != Opcode::kIndirect) ||
                     at(last).guard.present || instruction.opcode != "bra";
  if (falls && instruction.opcode != "brx" && &item + 1 == &header_item)
    insert_behind(item, {set, fmt::format("bra {};", label(sw))});
}

/// An indirect branch jumps to a new block that continues to the switch.
void SsdeFunction::retarget_table(const Item& item, std::size_t header, const Switch& sw,
                                  std::uint32_t value) {
  Table& table = tables_[&item];
  const std::string fresh = name('$', "b", labels_++);
  table.trampolines[header] = fresh;
  for (const std::string& statement :
       {fresh + ":", fmt::format("mov.u32 {}, {};", state(sw), value), fmt::format("bra {};", label(sw))})
    table.statements.push_back(statement);
}

void SsdeFunction::finish_tables() {
  for (auto& [item, table] : tables_) {
    const Operand& operand = item->instruction->operands[1];
    const Instruction* const old = text_.table(label_of(operand), item->scope);
    std::vector<std::string> names;
    for (const Operand& target : old->operands) {
      const auto redirected = table.trampolines.find(text_.target(label_of(target), item->scope));
      names.push_back(redirected == table.trampolines.end() ? label_of(target) : redirected->second);
    }
    const std::string fresh = name('$', "t", labels_++);
    insert_before(*item, {fmt::format("{}: .branchtargets {};", fresh, fmt::join(names, ", "))});
    edit_.replace(edit_.offset(operand.where), label_of(operand).size(), fresh);
    std::vector<std::string> text = table.statements;
    if (!item->instruction->guard.empty()) {
      const std::string around = name('$', "g", labels_++);
      text.insert(text.begin(), fmt::format("bra {};", around));
      text.push_back(around + ":");
    }
    insert_behind(*item, text);
  }
}

/// Threads that only exit bypass the switch.
void SsdeFunction::keep_early_exits(std::uint32_t branch) {
  if (!early_done_.insert(branch).second) return;
  const Item& item = item_of(branch);
  const Instruction& instruction = *item.instruction;
  const BlockId block = code_.cfg().block_of(branch);
  for (const BlockId to : code_.cfg().block(block).successors) {
    if (to == code_.cfg().exit()) continue;
    const std::uint32_t first = code_.cfg().block(to).first;
    const auto& kept = code_.post_dominators().reconvergence_graph().block(to).predecessors;
    if (std::find(kept.begin(), kept.end(), block) != kept.end() || !ends_thread(at(first))) continue;
    const bool implicit = is_implicit_end(first);
    const std::string opcode = implicit ? "ret" : item_of(first).instruction->opcode;
    const std::size_t target = implicit ? text_.items().size() : index_of(item_of(first));
    if (instruction.opcode == "bra" &&
        text_.target(label_of(instruction.operands[0]), item.scope) == target) {
      std::string& early = early_[opcode];
      if (early.empty()) early = name('$', "early", static_cast<unsigned>(early_.size() - 1));
      edit_.replace(edit_.offset(instruction.operands[0].where), label_of(instruction.operands[0]).size(),
                    early);
    } else {
      insert_behind(item, {opcode + ";"});
    }
  }
}

/// Redirects all returns to the switch at the function's end, except those of threads that leave early.
void SsdeFunction::join_returns() {
  const analysis::ControlFlowGraph& cfg = code_.cfg();
  const analysis::ControlFlowGraph& kept = code_.post_dominators().reconvergence_graph();
  const analysis::CodeRange& range = code_.range_of(cfg.block(switches_.front().cases.front().header).first);
  for (std::uint32_t i = range.first; i < range.end; ++i) {
    if (!ends_thread(at(i)) || is_implicit_end(i)) continue;
    const Item& item = item_of(i);
    const BlockId block = cfg.block_of(i);
    const auto& to = kept.block(block).successors;
    if (std::find(to.begin(), to.end(), cfg.exit()) == to.end()) continue;
    if (!at(i).guard.present && cfg.block(block).first == i && !cfg.block(block).predecessors.empty()) {
      if (kept.block(block).predecessors.empty()) continue;
      for (const BlockId from : cfg.block(block).predecessors) {
        const auto& stay = kept.block(block).predecessors;
        if (std::find(stay.begin(), stay.end(), from) == stay.end())
          keep_early_exits(cfg.block(from).end - 1);
      }
    }
    edit_.replace(item.at, item.end - item.at,
                  fmt::format("{}bra {};", guard_of(*item.instruction), name('$', "end", 0)));
  }
}

void SsdeFunction::finish_end() {
  const analysis::CodeRange& range =
      code_.range_of(code_.cfg().block(switches_.front().cases.front().header).first);
  const bool falls = is_implicit_end(range.end - 1) || (!at_end_.empty() && at_end_.back() != "ret;");
  if (!early_.empty() && falls && (at_end_.empty() || at_end_.back() != "ret;")) at_end_.emplace_back("ret;");
  for (const auto& [opcode, label] : early_) {
    at_end_.push_back(label + ":");
    at_end_.push_back(opcode + ";");
  }
  if (at_end_.empty()) return;
  std::string text;
  for (const std::string& statement : at_end_)
    text += (keep_lines_ ? " " : "\t") + statement + (keep_lines_ ? " " : "\n");
  edit_.insert(text_.body_end(), text);
}

}  // namespace heddle::ssde
