// Decodes one PTX instruction: its form from the table, its guard, and the error if no form fits.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"
#include "frontend/ptx/decode/special.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

struct Unsupported {
  std::string_view opcode;
  std::string_view remedy;
};

constexpr std::string_view kTexture =
    "Of surfaces, loads and stores are modelled: use atomics on plain memory.";
constexpr std::string_view kTypeQuery =
    "It asks whether a handle is a texture's, a sampler's or a surface's: let an argument of the kernel say "
    "so.";
constexpr std::string_view kTensor = "Products of a group of four warps are not modelled: use mma.sync.";
constexpr std::string_view kOtherProducts =
    "Products of sparse matrices and of integers of 4 bits and 1 bit are not modelled: use dense ones of s8 "
    "or u8.";
constexpr std::string_view kBulk =
    "Of bulk copies (TMA) those of bytes between global memory and the CTA's shared memory are modelled: "
    "copy "
    "tensors by rows, reduce with red, and store with st.";
constexpr std::string_view kCluster =
    "Clusters of several CTAs are not modelled: a CTA is a cluster of its own.";
constexpr std::string_view kLater = "It is not modelled: compile for sm_80, or sm_75.";
constexpr std::string_view kList = "'heddle list --ptx' shows what is supported.";

// PTX instructions without a line in the form table. The remedy may be empty.
constexpr Unsupported kUnsupported[] = {
    {"istypep", kTypeQuery},
    {"sured", kTexture},
    {"wgmma", kTensor},
    {"tcgen05", kTensor},
    {"tensormap", kBulk},
    {"multimem", kLater},
    {"clusterlaunchcontrol", kCluster},
};

struct LaterModifier {
  std::string_view word;
  std::string_view since;
};
// Modifiers of instructions in the form table that are not supported, or not with those instructions.
constexpr LaterModifier kLaterModifiers[] = {{"v8", "sm_100"},
                                             {"f32x2", "sm_100"},
                                             {"oob", "sm_90"},
                                             {"cluster", "sm_90"},
                                             {"multicast::cluster", "sm_90"}};

std::string supported_forms(const Instruction& instruction) {
  std::string list;
  for (const CompiledForm& form : forms_of(instruction.opcode)) {
    const std::string text = describe(form);
    if (!text.empty()) list += (list.empty() ? "Supported: " : ", ") + text;
  }
  return list;
}

[[noreturn]] void no_such_opcode(const KernelContext& kernel, const Instruction& instruction) {
  for (const Unsupported& known : kUnsupported)
    if (known.opcode == instruction.opcode)
      kernel.fail(instruction.where, fmt::format("instruction '{}' is not supported", full_name(instruction)),
                  known.remedy.empty() ? std::string(kList) : fmt::format("{} {}", known.remedy, kList));
  Suggestion suggestion(instruction.opcode);
  for (const std::string_view opcode : known_opcodes()) suggestion.offer(std::string(opcode));
  kernel.fail(instruction.where, fmt::format("unknown instruction '{}'", printable(instruction.opcode)),
              suggestion.text());
}

/// No form of the opcode fits: names the modifier that the best candidate does not accept.
[[noreturn]] void no_such_form(const KernelContext& kernel, const Instruction& instruction,
                               std::size_t misfit) {
  std::string remedy = supported_forms(instruction);
  const auto named = [&](std::string_view word) { return has_modifier(instruction, word); };
  if (named("bulk") || (instruction.opcode == "st" && named("async")))
    kernel.fail(instruction.where, fmt::format("instruction '{}' is not supported", full_name(instruction)),
                std::string(kBulk));
  if (instruction.opcode == "barrier" && named("cluster"))
    kernel.fail(instruction.where, fmt::format("instruction '{}' is not supported", full_name(instruction)),
                std::string(kCluster));
  if (instruction.opcode == "mma" || instruction.opcode == "wmma")
    for (const std::string_view word : {"sp", "sp::ordered_metadata", "s4", "u4", "b1"})
      if (named(word))
        kernel.fail(instruction.where,
                    fmt::format("instruction '{}' is not supported", full_name(instruction)),
                    std::string(kOtherProducts));
  if (misfit < instruction.modifiers.size())
    for (const LaterModifier& later : kLaterModifiers)
      if (later.word == instruction.modifiers[misfit])
        remedy = fmt::format("It takes {} or later: compile for an architecture before it, such as sm_80. {}",
                             later.since, remedy);
  const std::string message =
      misfit < instruction.modifiers.size()
          ? fmt::format("'.{}' is not supported in '{}'", printable(instruction.modifiers[misfit]),
                        full_name(instruction))
          : fmt::format("'{}' lacks a modifier", full_name(instruction));
  kernel.fail(instruction.where, message, remedy);
}

isa::Operand decode_guard(KernelContext& kernel, const Instruction& instruction) {
  if (instruction.guard.empty()) return {};
  Operand operand;
  operand.where = instruction.where;
  operand.negated = instruction.guard_negated;
  operand.value = RegisterName{instruction.guard};
  return source(kernel, instruction, operand, Type::kPred).operand;
}

/// The elements of a whole vector register; empty if the operand is none. The special registers with three
/// dimensions are vectors of four (PTX ISA, %tid).
std::vector<std::string> vector_elements(KernelContext& kernel, const Operand& operand) {
  const auto* reg = std::get_if<RegisterName>(&operand.value);
  if (reg == nullptr || operand.second != nullptr) return {};
  std::size_t count = 0;
  if (const Symbol* const symbol = kernel.scopes.find(reg->name)) {
    const auto* vector = std::get_if<VectorSymbol>(symbol);
    count = vector == nullptr ? 0 : vector->elements;
  } else if (is_special_vector(reg->name)) {
    count = 4;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(reg->name + "." + "xyzw"[i]);
  return names;
}

/// Whole vector registers as lists of their elements: ld.v2.u32 V, [a] is ld.v2.u32 {V.x, V.y}, [a].
Instruction with_elements(KernelContext& kernel, Instruction instruction) {
  for (Operand& operand : instruction.operands) {
    const std::vector<std::string> names = vector_elements(kernel, operand);
    if (names.empty()) continue;
    if (operand.negated) kernel.fail(operand.where, "'!' is for predicates");
    VectorOperand list;
    for (const std::string& name : names) {
      Operand element;
      element.where = operand.where;
      element.value = RegisterName{name};
      list.elements.push_back(std::move(element));
    }
    operand.value = std::move(list);
  }
  return instruction;
}

bool has_vectors(KernelContext& kernel, const Instruction& instruction) {
  // A call is found again by its place in the tree, and passes no vectors.
  if (instruction.opcode == "call") return false;
  if (instruction.opcode != "mov" && !kernel.scopes.any_vectors()) return false;
  return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [&](const Operand& operand) { return !vector_elements(kernel, operand).empty(); });
}

void decode_as_written(KernelContext& kernel, const Instruction& instruction) {
  const auto& forms = forms_of(instruction.opcode);
  if (forms.empty()) no_such_opcode(kernel, instruction);
  std::size_t farthest = 0;
  const CompiledForm* best = nullptr;
  Modifiers modifiers;
  for (const CompiledForm& form : forms) {
    Modifiers meaning;
    std::size_t misfit = 0;
    const bool matches = form.match(instruction.modifiers, meaning, misfit);
    farthest = std::max(farthest, misfit);
    if (!matches) continue;
    // Forms may differ only in their number of operands (setp with and without a combined predicate differ in
    // modifiers): the first match is used.
    best = &form;
    modifiers = meaning;
    break;
  }
  if (best == nullptr) no_such_form(kernel, instruction, farthest);
  // .L2::cache_hint comes with a policy as the last operand.
  const bool may_hint = std::any_of(best->slots.begin(), best->slots.end(),
                                    [](const Slot& slot) { return slot.words.front() == kCacheHint; });
  const bool hints = has_modifier(instruction, kCacheHint);
  check_operand_count(kernel, instruction, best->least_operands + (may_hint && hints ? 1 : 0),
                      best->operands.size() - (may_hint && !hints ? 1 : 0));
  kernel.place = instruction.where;
  kernel.guard = decode_guard(kernel, instruction);
  best->form.handler(kernel, instruction, *best, modifiers);
}

}  // namespace

bool has_modifier(const Instruction& instruction, std::string_view word) {
  return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), word) !=
         instruction.modifiers.end();
}

std::string full_name(const Instruction& instruction) {
  std::string name = instruction.opcode;
  for (const std::string& modifier : instruction.modifiers) name += "." + modifier;
  return printable(name);
}

void decode_instruction(KernelContext& kernel, const Instruction& instruction) {
  if (has_vectors(kernel, instruction))
    decode_as_written(kernel, with_elements(kernel, instruction));
  else
    decode_as_written(kernel, instruction);
}

}  // namespace heddle::ptx
