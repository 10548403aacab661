// Applies an elimination plan to the text of one function.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/elimination.h"
#include "frontend/ptx/function_text.h"
#include "ssde/ssde.h"

namespace heddle::ssde {

using ptx::FunctionText;
using ptx::TextEdit;

[[nodiscard]] const Function* function_named(const Module& module, const std::string& name, bool entry);
/// As in SsdeOptions::common_point.
[[nodiscard]] std::string ssde_key(const isa::Kernel& kernel, const analysis::CodeRange& range);

class SsdeFunction {
 public:
  /// `prefix`: start of new names after $ and %; no name of the text starts with it. All must outlive this
  /// object.
  SsdeFunction(TextEdit& edit, const FunctionText& text, const analysis::CodeAnalysis& code,
               const std::vector<analysis::LoopFinding>& findings, std::string prefix, bool keep_lines);

  /// Inserts the plan's switch blocks of this function into the text.
  void run(const analysis::EliminationPlan& plan, std::uint32_t function, SsdeResult& result);

 private:
  using Item = FunctionText::Item;
  struct Case : analysis::SwitchCase {
    std::uint32_t value = 1;  ///< the number that the latch stores in the switch's register
  };
  struct Switch {
    base::Pc point = base::kNoPc;
    std::vector<Case> cases;
    unsigned number = 0;
    std::uint32_t values = 0;  ///< distinct headers
    std::uint32_t scope = 0;
  };
  [[nodiscard]] const isa::Instruction& at(std::uint32_t i) const { return code_.kernel().code[i]; }
  [[nodiscard]] const Item& item_of(std::uint32_t instruction) const;
  [[nodiscard]] std::size_t index_of(const Item& item) const {
    return static_cast<std::size_t>(&item - text_.items().data());
  }
  /// Whether it is the return that the decoder appends to code that runs off its end.
  [[nodiscard]] bool is_implicit_end(std::uint32_t instruction) const;
  [[nodiscard]] std::uint32_t scope_of(base::Pc point) const;
  [[nodiscard]] std::optional<base::Pc> visible_point(const analysis::SwitchCase& one, base::Pc point) const;
  void refuse(const analysis::SwitchCase& one, std::string reason, SsdeResult& result) const;

  [[nodiscard]] std::string name(char sign, const char* what, unsigned number) const;
  [[nodiscard]] std::string state(const Switch& sw) const { return name('%', "c", sw.number); }
  [[nodiscard]] std::string label(const Switch& sw) const { return name('$', "sw", sw.number); }

  [[nodiscard]] std::string lines(const std::vector<std::string>& statements) const;
  void insert_before(const Item& item, const std::vector<std::string>& statements);
  void insert_behind(const Item& item, const std::vector<std::string>& statements);

  void declare();
  void write_switch(const Switch& sw, SsdeResult& result);
  [[nodiscard]] std::string entrance(const Switch& sw, const Case& one);
  void retarget(const Switch& sw, const Case& one);
  void retarget_table(const Item& item, std::size_t header, const Switch& sw, std::uint32_t value);
  void finish_tables();
  void insert_entrances();
  void keep_early_exits(std::uint32_t branch);
  void join_returns();
  void finish_end();

  TextEdit& edit_;
  const FunctionText& text_;
  const analysis::CodeAnalysis& code_;
  const std::vector<analysis::LoopFinding>& findings_;
  std::string prefix_;
  bool keep_lines_;
  std::vector<Switch> switches_;
  std::set<std::size_t> behind_switches_;     ///< items that follow a switch
  std::vector<std::string> at_end_;           ///< statements after the function's last one
  std::map<std::string, std::string> early_;  ///< opcode -> label of a block that only ends the thread
  std::set<std::uint32_t> early_done_;        ///< branches
  struct Entrance {
    std::string label;
    std::string state;
  };
  std::map<std::size_t, Entrance> entrances_;  ///< by header item
  struct Table {
    std::map<std::size_t, std::string> trampolines;  ///< by header item
    std::vector<std::string> statements;
  };
  std::map<const Item*, Table> tables_;
  unsigned labels_ = 0;
  bool join_ = false;
};

}  // namespace heddle::ssde
