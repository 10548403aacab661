#include <algorithm>
#include <map>

#include "oracle/builder.h"

namespace heddle::oracle {

namespace {

using Table = std::map<std::string_view, void (*)(Builder&)>;

Table table_of(std::initializer_list<Handlers> lists) {
  Table table;
  for (const Handlers& handlers : lists)
    for (const Handler& handler : handlers) table.emplace(handler.opcode, handler.translate);
  return table;
}

Step translate_line(const ptx::Module& module, FunctionNames& names, const FunctionNames::Line& line) {
  static const Table integers =
      table_of({integer_handlers(), general_handlers(), memory_handlers(), control_handlers()});
  static const Table floats =
      table_of({float_handlers(), general_handlers(), memory_handlers(), control_handlers()});
  Builder builder(module, names, line);
  builder.step.kind = Kind::kCompute;
  const auto& modifiers = line.instruction->modifiers;
  const bool is_float = std::any_of(modifiers.begin(), modifiers.end(),
                                    [](const std::string& m) { return m == "f32" || m == "f64"; });
  const Table& table = is_float ? floats : integers;
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

}  // namespace

Program translate(const ptx::Module& module, const ptx::Function& function, const ModuleSymbols& globals) {
  FunctionNames names(module, function, globals);
  Program program;
  program.steps.reserve(names.lines().size() + 1);
  for (const FunctionNames::Line& line : names.lines())
    program.steps.push_back(translate_line(module, names, line));
  Step last;
  last.kind = Kind::kExit;
  last.where = function.where;
  program.steps.push_back(last);

  program.slots = names.slots();
  program.static_shared_bytes = names.static_shared_bytes();
  program.dynamic_shared_base = names.dynamic_shared_base();
  program.local_bytes = names.local_bytes();

  auto kernel = std::make_shared<isa::Kernel>();
  kernel->name = function.name;
  kernel->params = names.params();
  kernel->param_bytes = names.param_bytes();
  kernel->static_shared_bytes = names.static_shared_bytes();
  kernel->local_bytes_per_thread = names.local_bytes();
  kernel->max_threads_per_cta = stated_thread_limit(function);
  kernel->source = module.source;
  program.kernel = std::move(kernel);
  return program;
}

}  // namespace heddle::oracle
