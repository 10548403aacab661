// A kernel with the functions it may call, as one program.
#include <algorithm>
#include <map>
#include <memory>

#include "oracle/builder.h"
#include "sim/error.h"

namespace heddle::oracle {

namespace {

using Table = std::map<std::string_view, void (*)(Builder&)>;

Table table_of(std::initializer_list<Handlers> lists) {
  Table table;
  for (const Handlers& handlers : lists)
    for (const Handler& handler : handlers) table.emplace(handler.opcode, handler.translate);
  return table;
}

Handlers any_type() {
  Handlers all;
  for (const Handlers& some : {general_handlers(), convert_handlers(), memory_handlers(), control_handlers(),
                               warp_handlers(), call_handlers()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

/// Which of the tables an instruction is looked up in first is decided by the types in its name.
Step translate_line(Surroundings& around, const FunctionNames::Line& line) {
  static const Table integers =
      table_of({integer_handlers(), bit_handlers(), extended_handlers(), any_type()});
  static const Table floats = table_of({float_handlers(), any_type()});
  static const Table halves = table_of({half_handlers(), any_type()});
  Builder builder(around, line);
  builder.step.kind = Kind::kCompute;
  const bool is_half = builder.has_modifier("f16") || builder.has_modifier("f16x2");
  const bool is_float = builder.has_modifier("f32") || builder.has_modifier("f64");
  const Table& table = is_half ? halves : is_float ? floats : integers;
  const auto handler = table.find(line.instruction->opcode);
  if (handler == table.end()) builder.refuse();
  handler->second(builder);
  builder.finish();
  return builder.step;
}

std::uint32_t stated_thread_limit(const ptx::Function& function) {
  for (const auto& [name, values] : function.directives) {
    if (name != "maxntid" && name != "reqntid") continue;
    std::uint64_t product = 1;
    for (const std::uint64_t value : values)
      product = std::min<std::uint64_t>(product * std::min<std::uint64_t>(value, 1u << 16), 1u << 16);
    return static_cast<std::uint32_t>(product);
  }
  return 0;
}

bool calls_through_pointer(const FunctionNames& names) {
  const auto is_register = [](const ptx::Operand& operand) {
    return std::holds_alternative<ptx::RegisterName>(operand.value);
  };
  return std::any_of(names.lines().begin(), names.lines().end(), [&](const FunctionNames::Line& line) {
    const auto& operands = line.instruction->operands;
    return line.instruction->opcode == "call" && ((!operands.empty() && is_register(operands[0])) ||
                                                  (operands.size() > 1 && is_register(operands[1])));
  });
}

/// The kernel first, then every function it may reach: by name, or any at all if there are calls through
/// pointers.
class Reachable {
 public:
  Reachable(const ptx::Module& module, const ModuleSymbols& globals, SharedLayout& shared)
      : module_(module), globals_(globals), shared_(shared) {}

  void add(const ptx::Function& function) {
    if (numbers.contains(function.name)) return;
    numbers.emplace(function.name, static_cast<std::uint32_t>(functions.size()));
    functions.push_back(std::make_unique<FunctionNames>(module_, function, globals_, shared_));
    const FunctionNames& names = *functions.back();
    const bool any = calls_through_pointer(names);
    for (const ptx::Function& other : module_.functions)
      if (!other.is_entry && !other.external && (any || is_mentioned(names, other.name))) add(other);
  }

  std::vector<std::unique_ptr<FunctionNames>> functions;
  std::map<std::string, std::uint32_t> numbers;

 private:
  [[nodiscard]] bool is_mentioned(const FunctionNames& names, const std::string& function) const {
    if (names.mentioned().contains(function)) return true;
    return std::any_of(module_.aliases.begin(), module_.aliases.end(), [&](const ptx::Alias& alias) {
      return alias.aliasee == function && names.mentioned().contains(alias.name);
    });
  }

  const ptx::Module& module_;
  const ModuleSymbols& globals_;
  SharedLayout& shared_;
};

std::shared_ptr<const isa::Kernel> host_view(const ptx::Module& module, const FunctionNames& names,
                                             const Program& program) {
  auto kernel = std::make_shared<isa::Kernel>();
  kernel->name = names.function().name;
  kernel->params = names.params();
  kernel->param_bytes = names.param_bytes();
  kernel->static_shared_bytes = program.static_shared_bytes;
  kernel->local_bytes_per_thread = names.local_bytes();
  kernel->max_threads_per_cta = stated_thread_limit(names.function());
  kernel->source = module.source;
  return kernel;
}

}  // namespace

Program translate(const ptx::Module& module, const ptx::Function& kernel, const ModuleSymbols& globals) {
  SharedLayout shared;
  Reachable reachable(module, globals, shared);
  reachable.add(kernel);
  for (const ptx::Alias& alias : module.aliases)
    if (const auto real = reachable.numbers.find(alias.aliasee); real != reachable.numbers.end())
      reachable.numbers.emplace(alias.name, real->second);

  Program program;
  program.static_shared_bytes = shared.bytes;
  program.dynamic_shared_base = shared.dynamic_base();
  for (const auto& names : reachable.functions) {
    FunctionCode code;
    code.name = names->function().name;
    code.results = names->formal_results();
    code.params = names->formal_params();
    code.frame_bytes = names->local_bytes();
    code.frame_align = names->local_align();
    program.functions.push_back(std::move(code));
    if (const auto symbol = globals.find(names->function().name); symbol != globals.end())
      program.by_address.emplace(symbol->second.value,
                                 static_cast<std::uint32_t>(program.functions.size() - 1));
  }
  for (std::size_t i = 0; i < reachable.functions.size(); ++i) {
    FunctionNames& names = *reachable.functions[i];
    Surroundings around{module, names, program, reachable.numbers,
                        static_cast<std::uint32_t>(program.steps.size())};
    program.functions[i].entry = around.first_step;
    for (const FunctionNames::Line& line : names.lines())
      program.steps.push_back(translate_line(around, line));
    Step last;  // falling off the end is a return
    last.kind = Kind::kReturn;
    last.where = names.function().where;
    program.steps.push_back(last);
    program.functions[i].slots = names.slots();
  }
  for (const auto& [name, symbol] : globals)
    if (symbol.space == StateSpace::kConst) program.constants.emplace_back(symbol.value, symbol.bytes);
  program.kernel = host_view(module, *reachable.functions[0], program);
  return program;
}

}  // namespace heddle::oracle
