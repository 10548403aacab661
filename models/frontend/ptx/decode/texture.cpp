// tex, tld4, txq and suq; suld and sust.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"
#include "isa/texture.h"

namespace heddle::ptx {
namespace {

using isa::TextureKind;
using isa::TextureOp;
using isa::TextureQuery;
using isa::TextureShape;

template <class T, std::size_t kCount>
T named(const Instruction& instruction, const std::pair<std::string_view, T> (&names)[kCount]) {
  for (const auto& [word, value] : names)
    if (has_modifier(instruction, word)) return value;
  return names[0].second;
}

constexpr std::pair<std::string_view, TextureShape> kShapes[] = {{"1d", TextureShape::k1d},
                                                                 {"2d", TextureShape::k2d},
                                                                 {"3d", TextureShape::k3d},
                                                                 {"a1d", TextureShape::k1dLayered},
                                                                 {"a2d", TextureShape::k2dLayered},
                                                                 {"cube", TextureShape::kCube},
                                                                 {"acube", TextureShape::kCubeLayered}};
constexpr std::pair<std::string_view, TextureQuery> kQueries[] = {
    {"width", TextureQuery::kWidth},
    {"height", TextureQuery::kHeight},
    {"depth", TextureQuery::kDepth},
    {"array_size", TextureQuery::kArraySize},
    {"num_mipmap_levels", TextureQuery::kLevels},
    {"num_samples", TextureQuery::kSamples},
    {"normalized_coords", TextureQuery::kNormalized}};
constexpr std::pair<std::string_view, isa::SurfaceBounds> kBounds[] = {{"trap", isa::SurfaceBounds::kTrap},
                                                                       {"clamp", isa::SurfaceBounds::kClamp},
                                                                       {"zero", isa::SurfaceBounds::kZero}};

isa::Instruction texture_access(isa::Opcode op, Type type, unsigned vector) {
  isa::Instruction out;
  out.op = op;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.space = StateSpace::kGlobal;
  out.type = type;
  out.vector = static_cast<std::uint8_t>(vector);
  return out;
}

/// The handle, and the coordinates behind it, as sources from the first on; the index of the next.
unsigned place(KernelContext& kernel, const Instruction& instruction, const Operand& operand,
               const TextureOp& op, isa::Instruction& out) {
  const auto* at = std::get_if<AddressOperand>(&operand.value);
  if (at == nullptr)
    kernel.fail(operand.where, fmt::format("{} takes [handle, {{coordinates}}]", full_name(instruction)));
  if (!at->base_is_register || at->offset != 0 || !at->subscripts.empty())
    kernel.fail(instruction.where,
                fmt::format("instruction '{}' is not supported with an object that is not in a register",
                            full_name(instruction)),
                "Texture references are not modelled: use texture and surface objects.");
  Operand handle;
  handle.where = operand.where;
  handle.value = RegisterName{at->base};
  out.src[0] = source(kernel, instruction, handle, Type::kB64).operand;
  const unsigned count = op.coordinates();
  // Three coordinates are given as four.
  const std::size_t given = at->coordinates.size();
  if (given != count && !(count == 3 && given == 4))
    kernel.fail(operand.where,
                fmt::format("{} takes {} coordinates, not {}", full_name(instruction), count, given));
  const bool floats = op.kind != TextureKind::kSurface && !op.integer_coordinates;
  for (unsigned i = 0; i < count; ++i) {
    const bool layer = i == 0 && op.layered();
    out.src[1 + i] =
        source(kernel, instruction, at->coordinates[i], floats && !layer ? Type::kF32 : Type::kB32).operand;
  }
  return 1 + count;
}

void set_results(KernelContext& kernel, const Instruction& instruction, isa::Instruction& out) {
  const Operand& to = instruction.operands[0];
  if (to.second != nullptr)
    kernel.fail(to.where, "whether texels are resident is not modelled", "Leave the predicate out.");
  const auto results = elements(kernel, instruction, to, out.vector);
  for (unsigned i = 0; i < out.vector; ++i)
    out.dst[i] = destination(kernel, instruction, *results[i], out.type, Width::kRelaxed).operand;
}

/// Behind the place: a level, or two gradients. What may follow, an offset vector and a depth to compare, is not modelled.
void check_extras(const KernelContext& kernel, const Instruction& instruction) {
  const std::size_t wanted = has_modifier(instruction, "level")  ? 3
                             : has_modifier(instruction, "grad") ? 4
                                                                 : 2;
  if (instruction.operands.size() < wanted)
    kernel.fail(instruction.where, fmt::format("{} takes {}", full_name(instruction),
                                               wanted == 3 ? "a level of detail" : "two gradients"));
  if (instruction.operands.size() == wanted) return;
  const Operand& extra = instruction.operands[wanted];
  const bool offset = std::holds_alternative<VectorOperand>(extra.value);
  kernel.fail(
      extra.where,
      fmt::format("instruction '{}' is not supported with {}", full_name(instruction),
                  offset ? "an offset vector" : "a depth compare operand"),
      offset ? "Add the offset to the coordinates." : "Fetch the depth, and compare it in the kernel.");
}

/// A list of one is that operand.
Instruction without_single_list(Instruction instruction, std::size_t index) {
  if (const auto* list = std::get_if<VectorOperand>(&instruction.operands[index].value);
      list != nullptr && list->elements.size() == 1) {
    Operand only = list->elements.front();
    instruction.operands[index] = std::move(only);
  }
  return instruction;
}

}  // namespace

void decode_texture(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                    const Modifiers& modifiers) {
  TextureOp op;
  op.shape = named(instruction, kShapes);
  op.kind = instruction.opcode == "tld4" ? TextureKind::kGather : TextureKind::kFetch;
  op.integer_coordinates = modifiers.types[1] == Type::kS32;
  if (op.kind == TextureKind::kGather) {
    constexpr std::pair<std::string_view, std::uint8_t> kComponents[] = {
        {"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}};
    op.component = named(instruction, kComponents);
  }
  check_extras(kernel, instruction);
  isa::Instruction out = texture_access(isa::Opcode::kTexture, modifiers.type(), modifiers.vector);
  out.immediate = op.pack();
  unsigned next = place(kernel, instruction, instruction.operands[1], op, out);
  // Levels and gradients: objects have one level, so only the registers matter.
  for (std::size_t i = 2; i < instruction.operands.size(); ++i) {
    const auto* list = std::get_if<VectorOperand>(&instruction.operands[i].value);
    const unsigned count =
        list == nullptr ? 1 : std::min<unsigned>(static_cast<unsigned>(list->elements.size()), 3);
    const auto values = list == nullptr ? std::vector<const Operand*>{&instruction.operands[i]}
                                        : elements(kernel, instruction, instruction.operands[i],
                                                   static_cast<unsigned>(list->elements.size()));
    for (unsigned e = 0; e < count && next < isa::kMaxSources; ++e)
      out.src[next++] =
          source(kernel, instruction, *values[e], op.integer_coordinates ? Type::kB32 : Type::kF32).operand;
  }
  set_results(kernel, instruction, out);
  kernel.emit(instruction, out);
}

void decode_texture_query(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                          const Modifiers& modifiers) {
  TextureOp op;
  op.kind = TextureKind::kQuery;
  op.query = named(instruction, kQueries);
  isa::Instruction out = texture_access(isa::Opcode::kTexture, modifiers.type(), 1);
  out.immediate = op.pack();
  place(kernel, instruction, instruction.operands[1], op, out);
  set_results(kernel, instruction, out);
  kernel.emit(instruction, out);
}

void decode_surface(KernelContext& kernel, const Instruction& written, const CompiledForm&,
                    const Modifiers& modifiers) {
  const bool loads = written.opcode == "suld";
  const Instruction instruction = without_single_list(written, loads ? 0 : 1);
  TextureOp op;
  op.kind = TextureKind::kSurface;
  op.shape = named(instruction, kShapes);
  op.bounds = named(instruction, kBounds);
  if (isa::type_bytes(modifiers.type()) * modifiers.vector > isa::kTexelBytes)
    kernel.fail(instruction.where,
                fmt::format("{} accesses more than {} bytes", full_name(instruction), isa::kTexelBytes));
  isa::Instruction out = texture_access(loads ? isa::Opcode::kTexture : isa::Opcode::kSurfaceStore,
                                        modifiers.type(), modifiers.vector);
  out.immediate = op.pack();
  const unsigned next = place(kernel, instruction, instruction.operands[loads ? 1 : 0], op, out);
  if (loads) {
    out.cache_op = modifiers.cache_op;
    set_results(kernel, instruction, out);
  } else {
    const auto values = elements(kernel, instruction, instruction.operands[1], out.vector);
    for (unsigned i = 0; i < out.vector; ++i)
      out.src[next + i] = source(kernel, instruction, *values[i], out.type, Width::kRelaxed).operand;
  }
  kernel.emit(instruction, out);
}

}  // namespace heddle::ptx
