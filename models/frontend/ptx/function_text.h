// The statements of a function's text, for changes to the text: their scopes and the labels before them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontend/ptx/ast.h"
#include "frontend/ptx/text_edit.h"

namespace heddle::ptx {

class FunctionText {
 public:
  struct LabelHere {
    std::string name;
    std::uint32_t scope = 0;
    std::size_t at = 0;
  };
  struct Item {
    const Instruction* instruction = nullptr;
    std::uint32_t scope = 0;
    std::size_t at = 0;   ///< where it starts, guard included
    std::size_t end = 0;  ///< after its ';'
    /// Where what belongs to it starts: the pragmas between its labels and itself, which stay behind what is inserted.
    std::size_t from = 0;
    std::vector<LabelHere> labels;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// All must outlive this object; `function` has a body.
  FunctionText(const TextEdit& text, const Function& function);

  [[nodiscard]] const Function& function() const { return function_; }
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  /// The item of the instruction at a source location; kNone: there is none.
  [[nodiscard]] std::size_t at(SourceLoc where) const;
  /// The item after the label that an operand in `scope` refers to; items().size(): the end; kNone: no such
  /// label.
  [[nodiscard]] std::size_t target(const std::string& label, std::uint32_t scope) const;
  /// The instruction (a .branchtargets) after a label; nullptr: there is none.
  [[nodiscard]] const Instruction* table(const std::string& label, std::uint32_t scope) const;
  /// Whether names of scope `outer` are visible in `inner`.
  [[nodiscard]] bool visible(std::uint32_t outer, std::uint32_t inner) const;
  /// After the '{' of the body.
  [[nodiscard]] std::size_t body_begin() const { return body_begin_; }
  /// The '}' of the body.
  [[nodiscard]] std::size_t body_end() const { return body_end_; }
  /// The first statement that is not a declaration, including its labels.
  [[nodiscard]] std::size_t first_statement() const;

 private:
  void walk(const TextEdit& text, const Block& block, std::uint32_t scope);

  const Function& function_;
  std::vector<Item> items_;
  std::vector<std::uint32_t> parents_{0};  ///< by scope; 0: the body
  std::map<std::pair<std::uint32_t, std::string>, std::size_t> labels_;
  std::map<std::pair<std::uint32_t, std::string>, const Instruction*> tables_;
  std::vector<LabelHere> pending_;
  std::size_t body_begin_ = 0;
  std::size_t body_end_ = 0;
};

}  // namespace heddle::ptx
