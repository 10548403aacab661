#include "frontend/ptx/function_text.h"

#include <algorithm>

namespace heddle::ptx {

FunctionText::FunctionText(const TextEdit& text, const Function& function) : function_(function) {
  const std::size_t open = text.find(text.offset(function.where), '{');
  body_begin_ = open + 1;
  body_end_ = text.closing_brace(open);
  walk(text, function.body, 0);
}

/// The recursion is bounded, since the parser limits the nesting of blocks.
void FunctionText::walk(const TextEdit& text, const Block& block, std::uint32_t scope) {
  std::string last_label;
  std::size_t pragmas = kNone;  // where those before the next instruction start
  for (const Statement& statement : block.statements) {
    const auto* const instruction = std::get_if<Instruction>(&statement);
    if (const auto* label = std::get_if<Label>(&statement)) {
      labels_[{scope, label->name}] = items_.size();
      pending_.push_back({label->name, scope, text.offset(label->where)});
      last_label = label->name;
      pragmas = kNone;
      continue;
    }
    if (instruction != nullptr && instruction->opcode == kPragmaOpcode) {
      if (pragmas == kNone) pragmas = text.original().rfind(kPragmaOpcode, text.offset(instruction->where));
      continue;
    }
    if (instruction != nullptr && instruction->opcode.front() == '.') {
      // A table: its label does not name a code address.
      tables_[{scope, last_label}] = instruction;
      if (!pending_.empty() && pending_.back().name == last_label) pending_.pop_back();
    } else if (instruction != nullptr) {
      Item item;
      item.instruction = instruction;
      item.scope = scope;
      item.at = text.offset(instruction->where);
      item.end = text.statement_end(item.at);
      item.from = pragmas == kNone ? item.at : pragmas;
      item.labels.swap(pending_);
      items_.push_back(std::move(item));
      pragmas = kNone;
    } else if (const auto* inner = std::get_if<std::shared_ptr<Block>>(&statement)) {
      pragmas = kNone;
      parents_.push_back(scope);
      walk(text, **inner, static_cast<std::uint32_t>(parents_.size() - 1));
    }
  }
}

std::size_t FunctionText::at(SourceLoc where) const {
  const auto found = std::find_if(items_.begin(), items_.end(), [&](const Item& item) {
    return item.instruction->where.line == where.line && item.instruction->where.column == where.column;
  });
  return found == items_.end() ? kNone : static_cast<std::size_t>(found - items_.begin());
}

std::size_t FunctionText::target(const std::string& label, std::uint32_t scope) const {
  while (true) {
    const auto found = labels_.find({scope, label});
    if (found != labels_.end()) return found->second;
    if (scope == 0) return kNone;
    scope = parents_[scope];
  }
}

const Instruction* FunctionText::table(const std::string& label, std::uint32_t scope) const {
  while (true) {
    const auto found = tables_.find({scope, label});
    if (found != tables_.end()) return found->second;
    if (scope == 0) return nullptr;
    scope = parents_[scope];
  }
}

bool FunctionText::visible(std::uint32_t outer, std::uint32_t inner) const {
  while (inner != outer && inner != 0) inner = parents_[inner];
  return inner == outer;
}

std::size_t FunctionText::first_statement() const {
  if (items_.empty()) return pending_.empty() ? body_end_ : pending_.front().at;
  const Item& first = items_.front();
  return first.labels.empty() ? first.at : first.labels.front().at;
}

}  // namespace heddle::ptx
