// Calls, returns, indexed branches and the stack.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "oracle/bits.h"
#include "oracle/builder.h"

namespace heddle::oracle {

namespace {

const std::vector<ptx::Operand>* list(const ptx::Operand& operand) {
  const auto* vector = std::get_if<ptx::VectorOperand>(&operand.value);
  return vector && vector->as_list ? &vector->elements : nullptr;
}

std::string name_of(const ptx::Operand& operand) {
  if (const auto* symbol = std::get_if<ptx::SymbolName>(&operand.value)) return symbol->name;
  if (const auto* reg = std::get_if<ptx::RegisterName>(&operand.value)) return reg->name;
  return "operand";
}

std::uint32_t callee(Builder& b, const std::string& name) {
  const auto found = b.around().functions.find(name);
  if (found == b.around().functions.end() && (name.starts_with("cuda") || name.starts_with("__cuda")))
    b.fail("'" + name + "' is not supported: a kernel cannot launch kernels (dynamic parallelism)");
  if (found == b.around().functions.end())
    b.fail("function '" + name + "' is not defined in this module or one loaded before");
  if (found->second == 0) b.fail("'" + name + "' is a kernel; kernels cannot be called");
  return found->second;
}

/// Functions that CUDA's runtime provides: their parameters and results.
struct RuntimeFunction {
  std::string_view name;
  Kind kind;
  std::size_t results;
  std::size_t arguments;
};
constexpr std::array kRuntime{RuntimeFunction{"vprintf", Kind::kPrint, 1, 2},
                              RuntimeFunction{"__assertfail", Kind::kAssertFail, 0, 5},
                              RuntimeFunction{"malloc", Kind::kHeapAllocate, 1, 1},
                              RuntimeFunction{"free", Kind::kHeapFree, 0, 1},
                              RuntimeFunction{"tx_begin", Kind::kTxBegin, 0, 0},
                              RuntimeFunction{"tx_commit", Kind::kTxCommit, 0, 0},
                              RuntimeFunction{"tx_abort", Kind::kTxAbort, 0, 0}};

const RuntimeFunction* runtime_function(const Builder& b, const std::string& name) {
  const auto found = std::find_if(kRuntime.begin(), kRuntime.end(),
                                  [&](const RuntimeFunction& function) { return function.name == name; });
  return found == kRuntime.end() || b.defines(name) ? nullptr : &*found;
}

/// call{.uni} {(results),} function {, (arguments)} {, prototype or targets}.
void call(Builder& b) {
  b.step.kind = Kind::kCall;
  b.take("uni");
  b.expect_operands(1, 4);
  std::size_t at = 0;
  const std::vector<ptx::Operand> none;
  const auto* results = list(b.operand(at));
  if (results) ++at;
  const ptx::Operand& function = b.operand(at);
  const bool indirect = std::holds_alternative<ptx::RegisterName>(function.value);
  const std::size_t function_at = at++;
  const auto* arguments = at < b.operands() ? list(b.operand(at)) : nullptr;
  if (arguments) ++at;

  CallSite site;
  const FunctionCode* known = nullptr;
  if (indirect) {
    b.source(function_at, Type::kU64);
    if (at >= b.operands()) b.fail("a call through a pointer needs a prototype or a list of targets");
    const ptx::Instruction& table = b.table(at++);
    if (table.opcode == ".calltargets")
      for (const ptx::Operand& target : table.operands) site.targets.push_back(callee(b, name_of(target)));
  } else if (const RuntimeFunction* runtime = runtime_function(b, name_of(function))) {
    b.step.kind = runtime->kind;
    if ((results ? results->size() : 0) != runtime->results ||
        (arguments ? arguments->size() : 0) != runtime->arguments)
      b.fail(fmt::format("'{}' has {} results and {} parameters", runtime->name, runtime->results,
                         runtime->arguments));
  } else {
    site.function = callee(b, name_of(function));
    known = &b.around().program.functions[site.function];
  }
  if (at != b.operands()) b.fail("'call' has the wrong operands");

  const auto bind = [&](const std::vector<ptx::Operand>& operands, const std::vector<Formal>* formals,
                        std::vector<Actual>& actuals, bool is_result) {
    if (formals && formals->size() != operands.size())
      b.fail(fmt::format("'{}' has {} {}, the call {}", known->name, formals->size(),
                         is_result ? "results" : "parameters", operands.size()));
    for (std::size_t i = 0; i < operands.size(); ++i)
      actuals.push_back(b.actual(operands[i], formals ? &(*formals)[i] : nullptr, is_result));
  };
  bind(results ? *results : none, known ? &known->results : nullptr, site.results, true);
  bind(arguments ? *arguments : none, known ? &known->params : nullptr, site.arguments, false);
  b.step.extra = static_cast<std::uint32_t>(b.around().program.calls.size());
  b.around().program.calls.push_back(std::move(site));
}

void give_back(Builder& b) {
  b.step.kind = Kind::kReturn;
  b.take("uni");
  b.expect_operands(0, 0);
}

/// brx.idx{.uni} index, table.
void indexed_branch(Builder& b) {
  b.step.kind = Kind::kIndexedBranch;
  if (!b.take("idx")) b.refuse();
  b.take("uni");
  b.expect_operands(2, 2);
  b.source(0, Type::kU32);
  auto& tables = b.around().program.branch_tables;
  b.step.extra = static_cast<std::uint32_t>(tables.size());
  tables.push_back(b.branch_table(1));
}

/// alloca.type pointer, size{, alignment}; the pointer is a .local address.
void allocate(Builder& b) {
  b.step.kind = Kind::kAllocate;
  b.step.type = b.take_type();
  if (b.step.type != Type::kU64 && b.step.type != Type::kU32) b.refuse();
  b.expect_operands(2, 3);
  b.target(0, b.step.type);
  b.source(1, b.step.type);
  if (b.operands() == 3)
    b.source(2, Type::kU32);
  else
    b.constant_source(8);
}

template <bool kSave>
void stack(Builder& b) {
  b.step.kind = kSave ? Kind::kStackSave : Kind::kStackRestore;
  b.step.type = b.take_type();
  if (b.step.type != Type::kU64 && b.step.type != Type::kU32) b.refuse();
  b.expect_operands(1, 1);
  if (kSave)
    b.target(0, b.step.type);
  else
    b.source(0, b.step.type);
}

}  // namespace

Handlers call_handlers() {
  return {{"call", call},       {"ret", give_back},         {"brx", indexed_branch},
          {"alloca", allocate}, {"stacksave", stack<true>}, {"stackrestore", stack<false>}};
}

}  // namespace heddle::oracle
