// A kernel with the functions it may call, as one program.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>

#include "base/error.h"
#include "oracle/builder.h"
#include "oracle/unit.h"

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
  for (const Handlers& some :
       {general_handlers(), convert_handlers(), memory_handlers(), control_handlers(), warp_handlers(),
        call_handlers(), matrix_handlers(), async_handlers(), texture_handlers()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

/// The types in the instruction's name decide which of the tables is searched first.
Step translate_line(Surroundings& around, const FunctionNames::Line& line) {
  static const Table integers =
      table_of({integer_handlers(), bit_handlers(), extended_handlers(), video_handlers(), any_type()});
  static const Table floats = table_of({float_handlers(), any_type()});
  static const Table halves = table_of({half_handlers(), any_type()});
  static const Table narrows = table_of({narrow_handlers(), any_type()});
  Builder builder(around, line);
  builder.step.kind = Kind::kCompute;
  const bool is_half = builder.has_modifier("f16") || builder.has_modifier("f16x2");
  const bool is_float = builder.has_modifier("f32") || builder.has_modifier("f64");
  const bool is_narrow = builder.has_modifier("bf16") || builder.has_modifier("bf16x2");
  static const Table pairs = table_of({packed_handlers(), any_type()});
  const bool is_pair = builder.has_modifier("u16x2") || builder.has_modifier("s16x2");
  const Table& table = is_pair     ? pairs
                       : is_narrow ? narrows
                       : is_half   ? halves
                       : is_float  ? floats
                                   : integers;
  const auto handler = table.find(line.instruction->opcode);
  if (handler == table.end()) builder.refuse();
  handler->second(builder);
  builder.finish();
  return builder.step;
}

/// PTX ISA, .reqntid: dimensions that are left out are 1.
std::optional<std::array<std::uint32_t, 3>> stated_block(const ptx::Function& function) {
  for (const auto& [name, values] : function.directives) {
    if (name != "reqntid") continue;
    std::array<std::uint32_t, 3> block{1, 1, 1};
    for (std::size_t i = 0; i < std::min(values.size(), block.size()); ++i)
      block[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(values[i], ~std::uint32_t{0}));
    return block;
  }
  return std::nullopt;
}

std::uint32_t stated_thread_limit(const ptx::Function& function) {
  for (const auto& [name, values] : function.directives) {
    if (name != "maxntid") continue;
    std::uint64_t product = 1;
    for (const std::uint64_t value : values)
      product = std::min<std::uint64_t>(product * std::min<std::uint64_t>(value, 1u << 16), 1u << 16);
    return static_cast<std::uint32_t>(product);
  }
  return 0;
}

/// The prototypes of a function's calls through pointers. Calls with a list of targets refer to those
/// instead.
std::vector<const ptx::Prototype*> prototypes_called(const FunctionNames& names) {
  std::vector<const ptx::Prototype*> prototypes;
  const auto is_register = [](const ptx::Operand& operand) {
    return std::holds_alternative<ptx::RegisterName>(operand.value);
  };
  for (const FunctionNames::Line& line : names.lines()) {
    const auto& operands = line.instruction->operands;
    if (line.instruction->opcode != "call" || !((!operands.empty() && is_register(operands[0])) ||
                                                (operands.size() > 1 && is_register(operands[1]))))
      continue;
    const auto* name = std::get_if<ptx::SymbolName>(&operands.back().value);
    const FunctionNames::Table* table = name ? names.find_table(line.scope, name->name) : nullptr;
    if (table && table->instruction->prototype) prototypes.push_back(table->instruction->prototype.get());
  }
  return prototypes;
}

/// The kernel first, then every function it may reach: by name, or through a pointer. A pointer may lead to
/// any function with the parameters and results of the call's prototype whose address is taken in its module
/// or in one loaded before.
class Reachable {
 public:
  explicit Reachable(SharedLayout& shared) : shared_(shared) {}

  void add(const Unit& unit, const ptx::Function& function) {
    if (!numbers_.emplace(&function, static_cast<std::uint32_t>(functions.size())).second) return;
    functions.push_back(std::make_unique<FunctionNames>(unit.tree, function, unit.symbols, shared_));
    units.push_back(&unit);
    const FunctionNames& names = *functions.back();
    for (const auto& [name, definition] : unit.functions)
      if (names.mentioned().contains(name)) add(*definition.unit, *definition.function);
    const auto prototypes = prototypes_called(names);
    const auto callable = [&](const ptx::Function& pointed) {
      return std::any_of(prototypes.begin(), prototypes.end(), [&](const ptx::Prototype* prototype) {
        return alike(prototype->params, pointed.params) && alike(prototype->returns, pointed.returns);
      });
    };
    const auto add_pointed = [&](const Unit& in) {
      for (const Definition& definition : in.pointed)
        if (callable(*definition.function)) add(*definition.unit, *definition.function);
    };
    for (const Unit* other : unit.before) add_pointed(*other);
    add_pointed(unit);
  }

  /// The functions of the program that the unit's names refer to.
  [[nodiscard]] std::map<std::string, std::uint32_t> names_in(const Unit& unit) const {
    std::map<std::string, std::uint32_t> names;
    for (const auto& [name, definition] : unit.functions)
      if (const auto number = numbers_.find(definition.function); number != numbers_.end())
        names.emplace(name, number->second);
    if (&unit == units.front()) names.emplace(functions.front()->function().name, 0);
    return names;
  }

  std::vector<std::unique_ptr<FunctionNames>> functions;
  std::vector<const Unit*> units;  ///< the units that define them

 private:
  std::map<const ptx::Function*, std::uint32_t> numbers_;
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
  kernel->required_block = stated_block(names.function());
  kernel->source = module.source;
  return kernel;
}

/// Wherever they are declared.
std::vector<SharedVariable> shared_variables(const SharedLayout& layout, const Reachable& reachable) {
  std::vector<SharedVariable> all;
  const auto add = [&](const std::string& name, const Symbol& symbol) {
    const bool open = symbol.value == SharedLayout::kDynamic;
    const std::uint64_t offset = open ? layout.dynamic_base() : symbol.value;
    all.push_back({name, offset, open ? isa::kSharedWindowBytes - offset : symbol.bytes});
  };
  for (const auto& [variable, symbol] : layout.variables) add(variable->name, symbol);
  for (const auto& names : reachable.functions)
    for (const auto& [name, symbol] : names->shared_variables()) add(name, symbol);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

Program translate(const Unit& unit, const ptx::Function& kernel) {
  SharedLayout shared;
  Reachable reachable(shared);
  reachable.add(unit, kernel);
  std::map<const Unit*, std::map<std::string, std::uint32_t>> numbers;
  for (const Unit* used : reachable.units)
    if (!numbers.contains(used)) numbers.emplace(used, reachable.names_in(*used));

  Program program;
  program.static_shared_bytes = shared.bytes;
  program.dynamic_shared_base = shared.dynamic_base();
  program.shared = shared_variables(shared, reachable);
  for (std::size_t i = 0; i < reachable.functions.size(); ++i) {
    const FunctionNames& names = *reachable.functions[i];
    FunctionCode code;
    code.name = names.function().name;
    code.source = reachable.units[i]->tree.source;
    code.results = names.formal_results();
    code.params = names.formal_params();
    code.frame_bytes = names.local_bytes();
    code.frame_align = names.local_align();
    program.functions.push_back(std::move(code));
    const auto& symbols = reachable.units[i]->symbols;
    if (const auto symbol = symbols.find(names.function().name); symbol != symbols.end())
      program.by_address.emplace(symbol->second.value, static_cast<std::uint32_t>(i));
  }
  for (std::size_t i = 0; i < reachable.functions.size(); ++i) {
    FunctionNames& names = *reachable.functions[i];
    const Unit& own = *reachable.units[i];
    Surroundings around{own.tree, names, program, numbers.at(&own),
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
  for (const Step& step : program.steps) {
    program.uses_heap |= step.kind == Kind::kHeapAllocate || step.kind == Kind::kHeapFree;
    for (const Source& source : step.source)
      program.reads_workspace |=
          source.from == Source::From::kSpecial &&
          (source.special == Special::kWorkspaceLow || source.special == Special::kWorkspaceHigh);
  }
  for (const auto& [used, names] : numbers)
    for (const auto& [name, symbol] : used->symbols)
      if (symbol.space == StateSpace::kConst) program.constants.emplace_back(symbol.value, symbol.bytes);
  program.kernel = host_view(unit.tree, *reachable.functions[0], program);
  return program;
}

}  // namespace heddle::oracle
