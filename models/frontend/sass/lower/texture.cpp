// Textures and surfaces (forms_texture.cpp). Objects have one level: levels and gradients have no effect.
#include <algorithm>
#include <array>
#include <bit>

#include "frontend/sass/form.h"
#include "frontend/sass/lower/lowering.h"
#include "isa/texture.h"

namespace heddle::sass {
namespace {

using isa::TextureKind;
using isa::TextureOp;
using isa::TextureShape;

isa::Operand object_of(Lowering& of, const Operand& handle) {
  switch (handle.kind) {
    case Operand::Kind::kConstant:
      return of.rows.bank(handle.bank, static_cast<std::uint32_t>(handle.value));
    case Operand::Kind::kUniformRegister:
      return of.rows.uniform(handle.number);
    default:
      return source_word(of.rows, handle.number, 0);
  }
}

void begin(isa::Opcode op, const TextureOp& texture, isa::Instruction& out) {
  out.op = op;
  out.unit = isa::Unit::kMemory;
  out.latency_class = isa::LatencyClass::kMemory;
  out.space = isa::StateSpace::kGlobal;
  out.type = isa::Type::kB32;
  out.immediate = texture.pack();
}

void refuse_residency(Lowering& of, const Instruction& in) {
  if (const Operand* const resident = in.find(Role::kPd0); resident != nullptr && resident->number != kPt)
    of.rows.refuse("whether texels are resident");
}

/// Whether PTX has the fetch, or ptxas makes it: of whole coordinates no cube, gathers of two dimensions, gradients of one and two.
bool has_shape(Opcode op, TextureShape shape) {
  const bool cube = shape == TextureShape::kCube || shape == TextureShape::kCubeLayered;
  const bool one = shape == TextureShape::k1d || shape == TextureShape::k1dLayered;
  const bool three = shape == TextureShape::k3d;
  switch (op) {
    case Opcode::kTld:
      return !cube;
    case Opcode::kTld4:
      return !one && !three;
    case Opcode::kTxd:
      return !cube && !three;
    default:
      return true;
  }
}

void lower_fetch(Lowering& of, const Instruction& in, isa::Instruction& out) {
  constexpr std::array kShapes{TextureShape::k1d,   TextureShape::k2d,         TextureShape::k3d,
                               TextureShape::kCube, TextureShape::k1dLayered,  TextureShape::k2dLayered,
                               TextureShape::k2d,   TextureShape::kCubeLayered};
  constexpr unsigned kOwnLevel = 3;  // of Modifier::kLevel
  refuse_residency(of, in);
  if (!has_shape(in.op, kShapes[in.value(Modifier::kShape)])) of.rows.refuse("a fetch of this shape");
  if (in.op == Opcode::kTxd && in.value(Modifier::kSources) != 0)
    of.rows.refuse("gradients with coordinates in B");
  TextureOp op;
  op.by_object = true;
  op.kind = in.op == Opcode::kTld4 ? TextureKind::kGather : TextureKind::kFetch;
  op.shape = kShapes[in.value(Modifier::kShape)];
  op.integer_coordinates = in.op == Opcode::kTld;
  if (in.op == Opcode::kTld4) op.component = static_cast<std::uint8_t>(in.value(Modifier::kMode));
  begin(isa::Opcode::kTexture, op, out);
  const unsigned a = in.find(Role::kA)->number, b = in.find(Role::kB)->number;
  const Operand* const handle = in.find(Role::kHandle);
  const unsigned count = op.coordinates();
  if (in.op == Opcode::kTxd) {
    // A has the object, if that is in a register, then coordinates, then the layer.
    const unsigned first = handle == nullptr ? 1 : 0;
    out.src[0] = handle == nullptr ? source_word(of.rows, a, 0) : object_of(of, *handle);
    const unsigned layers = op.layered() ? 1 : 0;
    for (unsigned i = 0; i < op.dimensions(); ++i)
      out.src[1 + layers + i] = source_word(of.rows, a, first + i);
    if (op.layered()) out.src[1] = source_word(of.rows, a, first + op.dimensions());
  } else {
    const unsigned words =
        count + (handle == nullptr ? 1 : 0) + (in.value(Modifier::kLevel) == kOwnLevel ? 1 : 0);
    const unsigned in_a = in.value(Modifier::kSources) != 0 ? (words + 1) / 2 : count;
    const auto word = [&](unsigned i) {
      return i < in_a ? source_word(of.rows, a, i) : source_word(of.rows, b, i - in_a);
    };
    out.src[0] = handle == nullptr ? word(count) : object_of(of, *handle);
    for (unsigned i = 0; i < count; ++i) out.src[1 + i] = word(i);
  }
  out.vector = 4;
  unsigned to = 0;
  for (unsigned c = 0; c < out.vector; ++c) {
    if ((in.find(Role::kMask)->value >> c & 1) == 0) continue;
    out.dst[c] = result_word(of.rows, in.find(to < 2 ? Role::kDst : Role::kDst2)->number, to % 2);
    ++to;
  }
}

void lower_query(Lowering& of, const Instruction& in, isa::Instruction& out) {
  constexpr std::array kQueries{isa::TextureQuery::kWidth, isa::TextureQuery::kHeight,
                                isa::TextureQuery::kDepth};
  const auto mask = static_cast<unsigned>(in.find(Role::kMask)->value);
  const auto which = static_cast<std::size_t>(std::countr_zero(mask));
  if (!std::has_single_bit(mask) || which >= kQueries.size()) of.rows.refuse("several answers at once");
  TextureOp op;
  op.by_object = true;
  op.kind = TextureKind::kQuery;
  op.query = kQueries[which];
  begin(isa::Opcode::kTexture, op, out);
  out.src[0] = object_of(of, *in.find(Role::kHandle));
  out.vector = 1;
  out.dst[0] = result_word(of.rows, in.find(Role::kDst)->number, 0);
}

void lower_surface(Lowering& of, const Instruction& in, isa::Instruction& out) {
  constexpr std::array kShapes{TextureShape::k1d, TextureShape::k1d,        TextureShape::k1dLayered,
                               TextureShape::k2d, TextureShape::k2dLayered, TextureShape::k3d};
  constexpr std::array kOutside{isa::SurfaceBounds::kZero, isa::SurfaceBounds::kClamp,
                                isa::SurfaceBounds::kTrap};
  constexpr std::array kTypes{isa::Type::kU8,  isa::Type::kS8,  isa::Type::kU16, isa::Type::kS16,
                              isa::Type::kB32, isa::Type::kB32, isa::Type::kB32};
  constexpr std::array<std::uint8_t, 7> kWords{1, 1, 1, 1, 1, 2, 4};
  refuse_residency(of, in);
  const bool stores = in.op == Opcode::kSust;
  TextureOp op;
  op.by_object = true;
  op.kind = TextureKind::kSurface;
  op.shape = kShapes[in.value(Modifier::kShape)];
  op.bounds = kOutside[in.value(Modifier::kOutside)];
  begin(stores ? isa::Opcode::kSurfaceStore : isa::Opcode::kTexture, op, out);
  const std::uint16_t size = in.value(Modifier::kSize);
  out.type = kTypes.at(size);
  out.vector = kWords.at(size);
  out.src[0] = object_of(of, *in.find(Role::kHandle));
  // x, y, z; the layer is the last.
  const unsigned a = in.find(Role::kA)->number, layers = op.layered() ? 1 : 0;
  for (unsigned d = 0; d < op.dimensions(); ++d) out.src[1 + layers + d] = source_word(of.rows, a, d);
  if (op.layered()) out.src[1] = source_word(of.rows, a, op.dimensions());
  for (unsigned i = 0; i < out.vector; ++i)
    if (stores)
      out.src[1 + op.coordinates() + i] = source_word(of.rows, in.find(Role::kData)->number, i);
    else
      out.dst[i] = result_word(of.rows, in.find(Role::kDst)->number, i);
}

}  // namespace

bool lower_texture(Lowering& of, const Instruction& in, isa::Instruction& out) {
  switch (in.op) {
    case Opcode::kTex:
    case Opcode::kTld:
    case Opcode::kTld4:
    case Opcode::kTxd:
      return lower_fetch(of, in, out), true;
    case Opcode::kTxq:
      return lower_query(of, in, out), true;
    case Opcode::kSuld:
    case Opcode::kSust:
      return lower_surface(of, in, out), true;
    default:
      return false;
  }
}

}  // namespace heddle::sass
