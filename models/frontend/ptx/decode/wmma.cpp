// wmma, whose fragments are those of the mma that it becomes.
//
// PTX leaves the fragments of wmma open. Here a product of 16 x 16 or 32 x 8 is one of several m16n8; one of 8 x 32 is the
// transposed product of 32 x 8. Fragments of f16 have eight registers, of which those of mma come first and then
// repeat. A wmma.load or .store is a load or store of each register, or of each element where neighbours are not adjacent in memory.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/library.h"
#include "frontend/ptx/decode/product.h"

namespace heddle::ptx {
namespace {

using isa::LaneOp;
using isa::MatrixProduct;
using isa::Opcode;
using isa::RowWidth;

enum class Part : std::uint8_t { kA, kB, kC };

/// A wmma shape as products of m16n8 (f64: m8n8).
struct Tiling {
  bool transposed = false;  ///< of 8 x 32: D^T = B^T x A^T
  unsigned rows = 1;        ///< products below each other, beside each other
  unsigned columns = 1;
  MatrixProduct product;
};

Tiling tiling_of(const MatrixShape& shape, Type input, Type output) {
  Tiling tiling;
  tiling.product.a = tiling.product.b = input;
  tiling.product.d = output;
  tiling.product.k = shape.k;
  tiling.product.m = input == Type::kF64 ? 8 : 16;
  tiling.transposed = shape.m == 8 && shape.n == 32;
  const unsigned m = tiling.transposed ? shape.n : shape.m;
  const unsigned n = tiling.transposed ? shape.m : shape.n;
  tiling.rows = m / tiling.product.m;
  tiling.columns = n / 8;
  return tiling;
}

/// An element of a lane in group g with number t: row `row` + g or `row` + `spread` t, the other coordinate accordingly.
struct Element {
  unsigned row = 0;
  unsigned column = 0;
  bool group_in_row = true;  ///< g counts rows and `spread` t columns, or the other way round
  unsigned spread = 1;
};

/// The elements of a register, the lowest first, in the part of the product as written.
std::vector<Element> elements_of(const Tiling& tiling, Part part, unsigned index) {
  const MatrixProduct& p = tiling.product;
  const unsigned halves = p.m / 8;
  std::vector<Element> list;
  // In the product that is executed.
  const Part role = !tiling.transposed || part == Part::kC ? part : part == Part::kA ? Part::kB : Part::kA;
  if (role == Part::kC) {
    const unsigned per = p.d == Type::kF16 ? 2 : 1;
    const unsigned tile = index / p.c_registers();
    const unsigned in_tile = index % p.c_registers();
    const unsigned half = per == 2 ? in_tile : in_tile / 2;
    for (unsigned e = 0; e < per; ++e)
      list.push_back({tile / tiling.columns * p.m + 8 * half,
                      tile % tiling.columns * 8 + (per == 2 ? e : in_tile % 2), true, 2});
  } else {
    const unsigned per = p.per_register();
    const unsigned registers = role == Part::kA ? p.a_registers() : p.b_registers();
    const unsigned tile = index / registers;
    const unsigned step = role == Part::kA ? index % registers / halves : index % registers;
    for (unsigned e = 0; e < per; ++e) {
      const unsigned deep = 4 * per * step + e;
      if (role == Part::kA)
        list.push_back({tile * p.m + 8 * (index % registers % halves), deep, true, per});
      else
        list.push_back({deep, tile * 8, false, per});
    }
  }
  if (tiling.transposed)
    for (Element& element : list) {
      std::swap(element.row, element.column);
      element.group_in_row = !element.group_in_row;
    }
  return list;
}

unsigned registers_of(const Tiling& tiling, Part part) {
  const MatrixProduct& p = tiling.product;
  if (part == Part::kC) return tiling.rows * tiling.columns * p.c_registers();
  const bool left = (part == Part::kA) != tiling.transposed;
  return left ? tiling.rows * p.a_registers() : tiling.columns * p.b_registers();
}

/// Registers as PTX counts them: fragments of f16 have eight.
unsigned written_registers(const Tiling& tiling, Part part) {
  constexpr unsigned kOfHalf = 8;
  if (part != Part::kC && tiling.product.a == Type::kF16) return kOfHalf;
  return registers_of(tiling, part);
}

/// Addresses of the elements of one wmma.load or .store.
class FragmentAccess {
 public:
  FragmentAccess(KernelContext& kernel, const Instruction& instruction, const Modifiers& modifiers,
                 bool column_major, unsigned bytes)
      : kernel_(kernel),
        instruction_(instruction),
        space_(modifiers.space),
        column_major_(column_major),
        bytes_(bytes) {}

  /// `at`: the address operand, `stride`: that operand; nullptr: `packed` elements.
  void begin(const Operand& at, const Operand* stride, unsigned packed) {
    const isa::MemoryOperand memory = address(kernel_, instruction_, at, space_, bytes_);
    displacement_ = memory.displacement;
    base_ = scratch64(0);
    if (!memory.base.present) {
      emit_move(kernel_, instruction_, base_, constant64(kernel_, 0));
    } else if (memory.base.width == RowWidth::k64) {
      emit_move(kernel_, instruction_, base_, memory.base);
    } else {
      emit_lane(kernel_, instruction_, LaneOp::kPack2x32, Type::kB64, base_, memory.base,
                kernel_.constants.row(RowWidth::k32, 0));
    }
    if (stride == nullptr) {
      stride_ = kernel_.constants.row(RowWidth::k32, packed);
    } else {
      // A copy, as of the base: a destination may be the same register.
      stride_ = scratch32(5);
      emit_move(kernel_, instruction_, stride_, source(kernel_, instruction_, *stride, Type::kU32).operand);
    }
    // g and t.
    group_ = scratch32(1);
    number_ = scratch32(2);
    emit_lane(kernel_, instruction_, LaneOp::kShr, Type::kU32, group_, lane_number(),
              kernel_.constants.row(RowWidth::k32, 2));
    emit_lane(kernel_, instruction_, LaneOp::kAnd, Type::kB32, number_, lane_number(),
              kernel_.constants.row(RowWidth::k32, 3));
  }
  /// Elements of that kind are next to each other in memory.
  [[nodiscard]] bool adjacent(const std::vector<Element>& list) const {
    for (std::size_t i = 1; i < list.size(); ++i) {
      const bool next = column_major_ ? list[i].column == list[0].column && list[i].row == list[0].row + i
                                      : list[i].row == list[0].row && list[i].column == list[0].column + i;
      if (!next) return false;
    }
    return true;
  }
  [[nodiscard]] isa::Instruction access(Opcode op, Type type, const Element& element) {
    isa::Instruction out;
    out.op = op;
    out.unit = isa::Unit::kMemory;
    out.latency_class = isa::LatencyClass::kMemory;
    out.type = type;
    out.space = space_;
    out.memory.base = address_of(element);
    const unsigned along = column_major_ ? element.row : element.column;
    out.memory.displacement = displacement_ + std::int64_t{along} * bytes_;
    return out;
  }

 private:
  [[nodiscard]] isa::Operand scratch32(unsigned index) const {
    return kernel_.scratch(instruction_, RowWidth::k32, kFirst + index);
  }
  [[nodiscard]] isa::Operand scratch64(unsigned index) const {
    return kernel_.scratch(instruction_, RowWidth::k64, kFirst + index);
  }
  /// base + (across * stride + what the lane adds along) * bytes; `across` counts rows, or columns of a column-major matrix.
  isa::Operand address_of(const Element& element) {
    const unsigned across = column_major_ ? element.column : element.row;
    const bool group_across = element.group_in_row != column_major_;
    if (across_ == across && group_across_ == group_across && spread_ == element.spread && row_.present)
      return row_;
    across_ = across;
    group_across_ = group_across;
    spread_ = element.spread;
    const isa::Operand line = scratch32(3);
    const isa::Operand along = scratch32(4);
    const auto constant = [&](unsigned value) { return kernel_.constants.row(RowWidth::k32, value); };
    const auto scaled = [&](isa::Operand to, isa::Operand number, unsigned factor) {
      emit_lane(kernel_, instruction_, LaneOp::kMul, Type::kU32, to, number, constant(factor));
    };
    const isa::Operand lines = group_across ? group_ : number_;
    scaled(line, lines, group_across ? 1 : element.spread);
    emit_lane(kernel_, instruction_, LaneOp::kAdd, Type::kU32, line, line, constant(across));
    scaled(along, group_across ? number_ : group_, (group_across ? element.spread : 1));
    isa::Instruction sum = simple_lane(kernel_, instruction_, {.op = LaneOp::kMad, .type = Type::kU32});
    sum.dst[0] = along;
    sum.src = {line, stride_, along};
    kernel_.emit(instruction_, sum);
    row_ = scratch64(1);
    isa::Instruction place = simple_lane(kernel_, instruction_, {.op = LaneOp::kMadWide, .type = Type::kU64});
    place.dst[0] = row_;
    place.src = {along, constant(bytes_), base_};
    kernel_.emit(instruction_, place);
    return row_;
  }

  static constexpr unsigned kFirst = 8;  ///< scratch rows that operands do not use
  KernelContext& kernel_;
  const Instruction& instruction_;
  StateSpace space_;
  bool column_major_;
  unsigned bytes_;
  std::int64_t displacement_ = 0;
  isa::Operand base_, stride_, group_, number_, row_;
  unsigned across_ = 0;
  unsigned spread_ = 0;
  bool group_across_ = false;
};

struct Fragment {
  Tiling tiling;
  Part part = Part::kA;
  bool column_major = false;
  unsigned bytes = 0;   ///< of an element
  unsigned packed = 0;  ///< elements of a line without a stride
};

Fragment fragment_of(const Instruction& instruction, const Modifiers& modifiers, Part part) {
  const MatrixShape shape = shape_of(instruction);
  Fragment fragment;
  fragment.part = part;
  fragment.column_major = has_modifier(instruction, "col");
  const Type type = modifiers.types[0];
  // What the other matrices hold does not matter for this one, beyond the layout.
  const bool single = shape.k == 8;  // tf32
  const Type input = part != Part::kC     ? type
                     : type == Type::kF64 ? Type::kF64
                     : type == Type::kS32 ? Type::kS8
                     : single             ? Type::kTf32
                                          : Type::kF16;
  const Type output = part == Part::kC ? type : type == Type::kF64 ? Type::kF64 : Type::kF32;
  fragment.tiling = tiling_of(shape, input, output);
  fragment.bytes = isa::type_bytes(type);
  const unsigned rows = part == Part::kB ? shape.k : shape.m;
  const unsigned columns = part == Part::kA ? shape.k : shape.n;
  fragment.packed = fragment.column_major ? rows : columns;
  return fragment;
}

Type bits_of_bytes(unsigned bytes) {
  return bytes == 1 ? Type::kU8 : bytes == 2 ? Type::kU16 : bytes == 4 ? Type::kB32 : Type::kB64;
}

}  // namespace

void decode_wmma_load(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                      const Modifiers& modifiers) {
  const Part part = has_modifier(instruction, "a")   ? Part::kA
                    : has_modifier(instruction, "b") ? Part::kB
                                                     : Part::kC;
  const Fragment fragment = fragment_of(instruction, modifiers, part);
  const Rows rows = destinations_of(kernel, instruction, 0, written_registers(fragment.tiling, part),
                                    register_type(modifiers.types[0]));
  FragmentAccess memory(kernel, instruction, modifiers, fragment.column_major, fragment.bytes);
  memory.begin(instruction.operands[1], instruction.operands.size() > 2 ? &instruction.operands[2] : nullptr,
               fragment.packed);
  const unsigned own = registers_of(fragment.tiling, part);
  for (unsigned r = 0; r < own; ++r) {
    const std::vector<Element> list = elements_of(fragment.tiling, part, r);
    const isa::Operand to = rows[r].present ? rows[r] : kernel.scratch(instruction, rows[r].width, 0);
    if (memory.adjacent(list)) {
      isa::Instruction load = memory.access(
          Opcode::kLoad, bits_of_bytes(fragment.bytes * static_cast<unsigned>(list.size())), list[0]);
      load.dst[0] = to;
      kernel.emit(instruction, load);
      continue;
    }
    for (std::size_t e = 0; e < list.size(); ++e) {
      isa::Instruction load = memory.access(Opcode::kLoad, bits_of_bytes(fragment.bytes), list[e]);
      load.dst[0] = e == 0 ? to : kernel.scratch(instruction, RowWidth::k32, 1);
      kernel.emit(instruction, load);
      if (e == 0) continue;
      isa::Instruction insert = simple_lane(kernel, instruction, {.op = LaneOp::kBfi, .type = Type::kB32});
      insert.dst[0] = to;
      insert.src = {load.dst[0], to, kernel.constants.row(RowWidth::k32, 8 * fragment.bytes * e),
                    kernel.constants.row(RowWidth::k32, 8 * fragment.bytes)};
      kernel.emit(instruction, insert);
    }
  }
  for (std::size_t r = own; r < rows.size(); ++r)
    if (rows[r].present && rows[r % own].present) emit_move(kernel, instruction, rows[r], rows[r % own]);
}

void decode_wmma_store(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                       const Modifiers& modifiers) {
  const Fragment fragment = fragment_of(instruction, modifiers, Part::kC);
  const Rows rows = sources_of(kernel, instruction, 1, written_registers(fragment.tiling, Part::kC),
                               register_type(modifiers.types[0]));
  FragmentAccess memory(kernel, instruction, modifiers, fragment.column_major, fragment.bytes);
  memory.begin(instruction.operands[0], instruction.operands.size() > 2 ? &instruction.operands[2] : nullptr,
               fragment.packed);
  for (unsigned r = 0; r < rows.size(); ++r) {
    const std::vector<Element> list = elements_of(fragment.tiling, Part::kC, r);
    if (memory.adjacent(list)) {
      isa::Instruction store = memory.access(
          Opcode::kStore, bits_of_bytes(fragment.bytes * static_cast<unsigned>(list.size())), list[0]);
      store.src[0] = rows[r];
      kernel.emit(instruction, store);
      continue;
    }
    for (std::size_t e = 0; e < list.size(); ++e) {
      isa::Operand value = rows[r];
      if (e != 0) {
        value = kernel.scratch(instruction, RowWidth::k32, 0);
        emit_lane(kernel, instruction, LaneOp::kShr, Type::kU32, value, rows[r],
                  kernel.constants.row(RowWidth::k32, 8 * fragment.bytes * e));
      }
      isa::Instruction store = memory.access(Opcode::kStore, bits_of_bytes(fragment.bytes), list[e]);
      store.src[0] = value;
      kernel.emit(instruction, store);
    }
  }
}

void decode_wmma_mma(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                     const Modifiers& modifiers) {
  const MatrixShape shape = shape_of(instruction);
  // f16 names the types of D and C only.
  const bool half = modifiers.type_count == 2;
  const Type output = modifiers.types[0];
  const Type input = half ? Type::kF16 : modifiers.types[1];
  const Type before = modifiers.types[half ? 1 : 3];
  MatrixProduct named;
  named.a = input;
  named.b = half ? Type::kF16 : modifiers.types[2];
  check_types(kernel, instruction, named);
  if (before != output)
    kernel.fail(instruction.where, fmt::format("{} has different types of C and D", full_name(instruction)),
                "Convert the accumulator, so that they are the same.");
  Tiling tiling = tiling_of(shape, input, output);
  MatrixProduct& product = tiling.product;
  product.b = named.b;
  if (tiling.transposed) std::swap(product.a, product.b);
  product.satfinite = modifiers.satfinite;
  set_numerics(kernel, product);
  const Type inputs = input == Type::kF64 ? Type::kF64 : Type::kB32;
  const Rows to =
      destinations_of(kernel, instruction, 0, written_registers(tiling, Part::kC), register_type(output));
  const Rows a = sources_of(kernel, instruction, 1, written_registers(tiling, Part::kA), inputs);
  const Rows b = sources_of(kernel, instruction, 2, written_registers(tiling, Part::kB), inputs);
  const Rows c =
      sources_of(kernel, instruction, 3, written_registers(tiling, Part::kC), register_type(output));
  const Rows& left = tiling.transposed ? b : a;
  const Rows& right = tiling.transposed ? a : b;
  // A product must not write what a later one reads.
  const auto same = [](const isa::Operand& x, const isa::Operand& y) {
    return x.present && y.present && x.space == isa::RowSpace::kRegister && y.space == x.space &&
           x.width == y.width && x.reg == y.reg;
  };
  bool apart = false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (const Rows* rows : {&a, &b})
      for (const isa::Operand& row : *rows) apart = apart || same(to[i], row);
    for (std::size_t j = 0; j < c.size(); ++j) apart = apart || (i != j && same(to[i], c[j]));
  }
  Rows d = to;
  constexpr unsigned kFirst = 16;
  if (apart)
    for (unsigned i = 0; i < d.size(); ++i)
      d[i] = kernel.scratch(instruction, output == Type::kF64 ? RowWidth::k64 : RowWidth::k32, kFirst + i);
  const auto part = [](const Rows& rows, std::size_t index, std::size_t count) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(index * count);
    return Rows(first, first + static_cast<std::ptrdiff_t>(count));
  };
  for (unsigned row = 0; row < tiling.rows; ++row)
    for (unsigned column = 0; column < tiling.columns; ++column) {
      const unsigned tile = row * tiling.columns + column;
      emit_product(kernel, instruction, product, part(d, tile, product.c_registers()),
                   part(left, row, product.a_registers()), part(right, column, product.b_registers()),
                   part(c, tile, product.c_registers()));
    }
  if (!apart) return;
  for (std::size_t i = 0; i < d.size(); ++i)
    if (to[i].present) emit_move(kernel, instruction, to[i], d[i]);
}

}  // namespace heddle::ptx
