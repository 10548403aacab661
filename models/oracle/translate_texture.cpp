// tex, tld4, txq; suld, sust, suq.
#include "oracle/builder.h"

namespace heddle::oracle {
namespace {

using What = Texture::What;

void take_shape(Builder& b, Texture& texture) {
  struct Shape {
    unsigned dimensions;
    bool layered, cube;
  };
  const auto shape = b.take_choice<Shape>({{"1d", {1, false, false}},
                                           {"2d", {2, false, false}},
                                           {"3d", {3, false, false}},
                                           {"a1d", {1, true, false}},
                                           {"a2d", {2, true, false}},
                                           {"cube", {3, false, true}},
                                           {"acube", {3, true, true}}});
  if (!shape) b.refuse();
  texture.dimensions = shape->dimensions;
  texture.layered = shape->layered;
  texture.cube = shape->cube;
}

/// The sources so far, which leave the step.
std::vector<Source> taken(Builder& b) {
  std::vector<Source> sources(b.step.source.begin(), b.step.source.begin() + b.step.sources);
  b.step.sources = 0;
  return sources;
}

/// [handle, {coordinates}]
void take_place(Builder& b, std::size_t index, Texture& texture) {
  const auto* const at = std::get_if<ptx::AddressOperand>(&b.operand(index).value);
  if (at == nullptr || !at->base_is_register || at->offset != 0) b.refuse();  // texture references
  ptx::Operand handle;
  handle.where = b.operand(index).where;
  handle.value = ptx::RegisterName{at->base};
  b.source(handle, Type::kU64);
  texture.object = taken(b).front();
  if (texture.what == What::kQuery) return;
  const std::size_t count = texture.dimensions + (texture.layered ? 1 : 0);
  const std::size_t given = at->coordinates.size();
  if (given != count && !(count == 3 && given == 4))
    b.fail("other coordinates than '" + b.opcode() + "' takes");
  const bool floats =
      (texture.what == What::kFetch || texture.what == What::kGather) && !texture.whole_numbers;
  for (std::size_t i = 0; i < count; ++i)
    b.source(at->coordinates[i], floats && !(i == 0 && texture.layered) ? Type::kF32 : Type::kS32);
  texture.places = taken(b);
}

void keep(Builder& b, Texture texture) {
  b.step.kind = Kind::kTexture;
  b.step.texture =
      b.around().program.textures.emplace_back(std::make_unique<const Texture>(std::move(texture))).get();
}

void fetch(Builder& b) {
  Texture texture;
  texture.what = b.opcode() == "tex" ? What::kFetch : What::kGather;
  std::size_t extras = 0;
  if (texture.what == What::kFetch) {
    extras = b.take("level") ? 1 : b.take("grad") ? 2 : 0;  // objects have one level
  } else {
    const auto component = b.take_choice<unsigned>({{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}});
    if (!component) b.refuse();
    texture.component = *component;
  }
  take_shape(b, texture);
  if (!b.take("v4")) b.refuse();
  b.step.type = b.take_type();
  const Type by = b.take_type();
  if ((by != Type::kF32 && by != Type::kS32) ||
      (b.step.type != Type::kF32 && b.step.type != Type::kS32 && b.step.type != Type::kU32))
    b.refuse();
  texture.whole_numbers = by == Type::kS32;
  texture.numbers = b.step.type == Type::kF32;
  const std::size_t operands = 2 + extras;
  if (b.operands() > operands)
    b.fail("'" + b.opcode() + "' is not supported by the oracle with " +
           (std::get_if<ptx::VectorOperand>(&b.operand(operands).value) != nullptr
                ? "an offset vector"
                : "a depth compare operand"));
  b.expect_operands(operands, operands);
  if (b.has_second(0)) b.refuse();
  take_place(b, 1, texture);
  b.targets(0, 4, b.step.type);
  keep(b, std::move(texture));
}

void surface(Builder& b) {
  Texture texture;
  const bool loads = b.opcode() == "suld";
  texture.what = loads ? What::kLoad : What::kStore;
  if (!b.take("b")) b.refuse();
  take_shape(b, texture);
  if (texture.cube) b.refuse();
  for (const auto* word : {"ca", "cg", "cs", "cv", "wb", "wt"}) b.take(word);
  const unsigned count = b.take_choice<unsigned>({{"v2", 2}, {"v4", 4}}).value_or(1);
  b.step.type = b.take_type();
  const auto outside = b.take_choice<Texture::Outside>({{"trap", Texture::Outside::kTrap},
                                                        {"clamp", Texture::Outside::kClamp},
                                                        {"zero", Texture::Outside::kZero}});
  if (!outside || isa::type_bytes(b.step.type) * count > 16) b.refuse();
  texture.outside = *outside;
  b.expect_operands(2, 2);
  take_place(b, loads ? 1 : 0, texture);
  b.step.kind = Kind::kTexture;
  if (loads) {
    b.targets(0, count, b.step.type);
  } else {
    b.sources(1, count, b.step.type);
    texture.values = taken(b);
  }
  keep(b, std::move(texture));
}

void query(Builder& b) {
  Texture texture;
  texture.what = What::kQuery;
  using Query = Texture::Query;
  const auto what = b.take_choice<Query>({{"width", Query::kWidth},
                                          {"height", Query::kHeight},
                                          {"depth", Query::kDepth},
                                          {"array_size", Query::kArraySize},
                                          {"num_mipmap_levels", Query::kOne},
                                          {"num_samples", Query::kOne},
                                          {"normalized_coords", Query::kNormalized}});
  if (!what) b.refuse();
  texture.query = *what;
  b.step.type = b.take_type();
  b.expect_operands(2, 2);
  take_place(b, 1, texture);
  b.target(0, b.step.type);
  keep(b, std::move(texture));
}

}  // namespace

Handlers texture_handlers() {
  return {{"tex", fetch},    {"tld4", fetch}, {"suld", surface},
          {"sust", surface}, {"txq", query},  {"suq", query}};
}

}  // namespace heddle::oracle
