// Matrix instructions of a warp (PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions): mma, wmma, ldmatrix, movmatrix; and
// elect.sync.
#include <charconv>
#include <memory>

#include "oracle/bits.h"
#include "oracle/builder.h"

namespace heddle::oracle {

namespace {

/// "m16n8k32"
Matrix::Extents take_extents(Builder& b) {
  for (const std::string& word : b.modifiers()) {
    Matrix::Extents extents;
    const char* at = word.data();
    const char* const end = at + word.size();
    bool good = true;
    for (const auto& [letter, value] :
         {std::pair('m', &extents.m), std::pair('n', &extents.n), std::pair('k', &extents.k)}) {
      good = good && at != end && *at == letter;
      if (!good) break;
      const auto [behind, error] = std::from_chars(at + 1, end, *value);
      good = error == std::errc{};
      at = behind;
    }
    if (!good || at != end) continue;
    b.take(word);
    return extents;
  }
  b.refuse();
}

void take_sync(Builder& b) {
  if (!b.take("sync") || !b.take("aligned")) b.refuse();
  b.step.kind = Kind::kWarp;
}

/// All lanes meet; what they bring is in the matrix.
void meet(Builder& b, WarpOp op) {
  b.step.warp = op;
  b.step.sources = b.step.targets = 0;
  b.constant_source(low_bits(32));
}

const std::vector<ptx::Operand>& listed(Builder& b, std::size_t index, std::vector<ptx::Operand>& single) {
  if (const auto* vector = std::get_if<ptx::VectorOperand>(&b.operand(index).value)) return vector->elements;
  single = {b.operand(index)};
  return single;
}

std::vector<Source> take_sources(Builder& b, std::size_t index, std::size_t count, Type type) {
  std::vector<ptx::Operand> single;
  const auto& operands = listed(b, index, single);
  if (operands.size() != count) b.fail("'" + b.opcode() + "' needs " + std::to_string(count) + " elements");
  std::vector<Source> sources;
  for (const ptx::Operand& operand : operands) {
    b.step.sources = 0;
    b.source(operand, type);
    sources.push_back(b.step.source[0]);
  }
  return sources;
}
std::vector<Target> take_targets(Builder& b, std::size_t index, std::size_t count, Type type) {
  std::vector<ptx::Operand> single;
  const auto& operands = listed(b, index, single);
  if (operands.size() != count) b.fail("'" + b.opcode() + "' needs " + std::to_string(count) + " elements");
  std::vector<Target> targets;
  for (const ptx::Operand& operand : operands) {
    b.step.targets = 0;
    b.target(operand, type);
    targets.push_back(b.step.target[0]);
  }
  return targets;
}

Type register_of(Type element) {
  return element == Type::kF32 || element == Type::kF64 || element == Type::kS32 ? element : Type::kB32;
}

void keep(Builder& b, Matrix matrix) {
  auto& all = b.around().program.matrices;
  all.push_back(std::make_unique<const Matrix>(std::move(matrix)));
  b.step.matrix = all.back().get();
}

bool is_integer_pair(Type a, Type b) {
  return (a == Type::kS8 || a == Type::kU8) && (b == Type::kS8 || b == Type::kU8);
}
bool is_byte_float(Type a) { return a == Type::kE4m3 || a == Type::kE5m2; }

/// mma.sync.aligned.shape.row.col{.satfinite}.d.a.b.c d, a, b, c.
void multiply(Builder& b) {
  take_sync(b);
  Matrix matrix;
  matrix.extents = take_extents(b);
  if (!b.take("row") || !b.take("col")) b.refuse();
  matrix.satfinite = b.take("satfinite");
  b.take("rn");
  matrix.output = b.take_type();
  matrix.left = b.take_type();
  matrix.right = b.take_type();
  if (b.take_type() != matrix.output) b.refuse();
  const auto& [m, n, k] = matrix.extents;
  const bool sixteen = m == 16 && n == 8;
  const Type a = matrix.left;
  const bool floats = matrix.output == Type::kF32 && a == matrix.right && sixteen && !matrix.satfinite;
  const bool good =
      (a == Type::kF16 && matrix.right == a && (matrix.output == Type::kF16 || matrix.output == Type::kF32) &&
       sixteen && !matrix.satfinite && (k == 8 || k == 16)) ||
      (a == Type::kBf16 && floats && (k == 8 || k == 16)) ||
      (a == Type::kTf32 && floats && (k == 4 || k == 8)) ||
      (is_byte_float(a) && is_byte_float(matrix.right) && matrix.output == Type::kF32 && sixteen && k == 32 &&
       !matrix.satfinite) ||
      (is_integer_pair(a, matrix.right) && matrix.output == Type::kS32 &&
       (sixteen ? k == 16 || k == 32 : m == 8 && n == 8 && k == 16)) ||
      (a == Type::kF64 && matrix.right == a && matrix.output == a && n == 8 &&
       (m == 16 ? k == 4 || k == 8 || k == 16 : m == 8 && k == 4));
  if (!good) b.refuse();
  b.expect_operands(4, 4);
  matrix.d = take_targets(b, 0, matrix.registers(Matrix::Part::kC), register_of(matrix.output));
  matrix.a = take_sources(b, 1, matrix.registers(Matrix::Part::kA), a == Type::kF64 ? a : Type::kB32);
  matrix.b = take_sources(b, 2, matrix.registers(Matrix::Part::kB), a == Type::kF64 ? a : Type::kB32);
  matrix.c = take_sources(b, 3, matrix.registers(Matrix::Part::kC), register_of(matrix.output));
  meet(b, WarpOp::kMultiply);
  keep(b, std::move(matrix));
}

// ---- wmma

bool good_wmma(const Matrix& matrix) {
  const auto& [m, n, k] = matrix.extents;
  const bool wide = k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
  switch (matrix.left) {
    case Type::kF16:
      return wide && (matrix.output == Type::kF16 || matrix.output == Type::kF32);
    case Type::kBf16:
      return wide && matrix.output == Type::kF32;
    case Type::kS8:
    case Type::kU8:
      return wide && matrix.output == Type::kS32;
    case Type::kTf32:
      return m == 16 && n == 16 && k == 8 && matrix.output == Type::kF32;
    case Type::kF64:
      return m == 8 && n == 8 && k == 4 && matrix.output == Type::kF64;
    default:
      return false;
  }
}

/// Fragments of f16 have eight registers: beyond those that hold the matrix they repeat.
std::size_t written(const Matrix& matrix, Matrix::Part part) {
  return part != Matrix::Part::kC && matrix.left == Type::kF16 ? 8 : matrix.registers(part);
}

void wmma_access(Builder& b, bool loads) {
  if (!b.take("sync") || !b.take("aligned")) b.refuse();
  Matrix matrix;
  matrix.part = b.take("a") ? Matrix::Part::kA : b.take("b") ? Matrix::Part::kB : Matrix::Part::kC;
  if (matrix.part == Matrix::Part::kC && !b.take(loads ? "c" : "d")) b.refuse();
  matrix.column_major = b.take("col");
  if (!matrix.column_major && !b.take("row")) b.refuse();
  matrix.extents = take_extents(b);
  const StateSpace space = b.take("global")                            ? StateSpace::kGlobal
                           : b.take("shared") || b.take("shared::cta") ? StateSpace::kShared
                                                                       : StateSpace::kGeneric;
  b.step.type = b.take_type();
  const bool inputs = matrix.part != Matrix::Part::kC;
  matrix.output = inputs ? (b.step.type == Type::kF64                              ? Type::kF64
                            : b.step.type == Type::kS8 || b.step.type == Type::kU8 ? Type::kS32
                                                                                   : Type::kF32)
                         : b.step.type;
  matrix.left = inputs                      ? b.step.type
                : b.step.type == Type::kF64 ? Type::kF64
                : b.step.type == Type::kS32 ? Type::kS8
                : matrix.extents.k == 8     ? Type::kTf32
                                            : Type::kF16;
  matrix.right = matrix.left;
  if (!good_wmma(matrix)) b.refuse();
  b.expect_operands(2, 3);
  const std::size_t count = written(matrix, matrix.part);
  if (loads)
    matrix.d = take_targets(b, 0, count, register_of(b.step.type));
  else
    matrix.c = take_sources(b, 1, count, register_of(b.step.type));
  const auto& [m, n, k] = matrix.extents;
  const unsigned rows = matrix.part == Matrix::Part::kB ? k : m;
  const unsigned columns = matrix.part == Matrix::Part::kA ? k : n;
  b.step.sources = b.step.targets = 0;
  if (b.operands() == 3)
    b.source(2, Type::kU32);
  else
    b.constant_source(matrix.column_major ? rows : columns);
  b.address(loads ? 1 : 0, space);
  b.step.kind = loads ? Kind::kMatrixLoad : Kind::kMatrixStore;
  keep(b, std::move(matrix));
}

void wmma_multiply(Builder& b) {
  take_sync(b);
  Matrix matrix;
  for (int i = 0; i < 2; ++i)
    if (!b.take("row") && !b.take("col")) b.refuse();  // of fragments: they are loaded already
  matrix.extents = take_extents(b);
  matrix.satfinite = b.take("satfinite");
  b.take("rn");
  matrix.output = b.take_type();
  Type second = b.take_type();
  if (second == Type::kF16 || second == Type::kF32) {  // f16 names the types of D and C only
    matrix.left = matrix.right = Type::kF16;
  } else {
    matrix.left = second;
    matrix.right = b.take_type();
    second = b.take_type();
  }
  if (second != matrix.output || !good_wmma(matrix)) b.refuse();
  const bool bytes = is_integer_pair(matrix.left, matrix.right);
  if (bytes ? matrix.output != Type::kS32 : matrix.left != matrix.right || matrix.satfinite) b.refuse();
  b.expect_operands(4, 4);
  const Type inputs = matrix.left == Type::kF64 ? Type::kF64 : Type::kB32;
  matrix.d = take_targets(b, 0, written(matrix, Matrix::Part::kC), register_of(matrix.output));
  matrix.a = take_sources(b, 1, written(matrix, Matrix::Part::kA), inputs);
  matrix.b = take_sources(b, 2, written(matrix, Matrix::Part::kB), inputs);
  matrix.c = take_sources(b, 3, written(matrix, Matrix::Part::kC), register_of(matrix.output));
  meet(b, WarpOp::kMultiply);
  keep(b, std::move(matrix));
}

void wmma(Builder& b) {
  if (b.take("load")) return wmma_access(b, true);
  if (b.take("store")) return wmma_access(b, false);
  if (!b.take("mma")) b.refuse();
  wmma_multiply(b);
}

/// ldmatrix.sync.aligned.m8n8.xN{.trans}{.shared}.b16 d, [a]; stmatrix ... [a], d.
void move_matrices(Builder& b) {
  const bool loads = b.opcode() == "ldmatrix";
  take_sync(b);
  if (!b.take("m8n8")) b.refuse();
  const auto count = b.take_choice<unsigned>({{"x1", 1}, {"x2", 2}, {"x4", 4}});
  if (!count) b.refuse();
  Matrix matrix;
  matrix.column_major = b.take("trans");
  const bool named = b.take("shared") || b.take("shared::cta");
  if (b.take_type() != Type::kB16) b.refuse();
  b.expect_operands(2, 2);
  if (loads)
    matrix.d = take_targets(b, 0, *count, Type::kB32);
  else
    matrix.c = take_sources(b, 1, *count, Type::kB32);
  b.step.sources = 0;
  b.step.type = Type::kB16;
  b.address(loads ? 1 : 0, named ? StateSpace::kShared : StateSpace::kGeneric);
  meet(b, loads ? WarpOp::kLoadMatrix : WarpOp::kStoreMatrix);
  keep(b, std::move(matrix));
}

void transpose(Builder& b) {
  take_sync(b);
  if (!b.take("m8n8") || !b.take("trans") || b.take_type() != Type::kB16) b.refuse();
  b.step.type = Type::kB16;
  b.expect_operands(2, 2);
  b.target(0, Type::kB32);
  b.step.warp = WarpOp::kTranspose;
  b.constant_source(low_bits(32));
  b.source(1, Type::kB32);
}

/// elect.sync d|p, membermask.
void elect(Builder& b) {
  if (!b.take("sync")) b.refuse();
  b.step.kind = Kind::kWarp;
  b.step.warp = WarpOp::kElect;
  b.expect_operands(2, 2);
  b.target(0, Type::kB32);
  b.second_target(0, Type::kPred);
  b.source(1, Type::kB32);
}

}  // namespace

Handlers matrix_handlers() {
  return {{"mma", multiply},           {"wmma", wmma},           {"ldmatrix", move_matrices},
          {"stmatrix", move_matrices}, {"movmatrix", transpose}, {"elect", elect}};
}

}  // namespace heddle::oracle
