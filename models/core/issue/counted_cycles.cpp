#include "core/issue/counted_cycles.h"

#include <algorithm>
#include <array>

namespace heddle::core {
namespace {

using base::Cycle;
using isa::CodePipe;

/// How a word reads a register.
enum Reader : std::uint8_t {
  kByAlu,
  kByFma,
  kByHalf,
  kByHalfMma,
  kByDouble,
  kByTensor,
  kByVote,  ///< the predicate of VOTE, VOTEU
  kByUniform,
  kByMemory,  ///< address or data
  kByOther,
  kAsGuard,
  kReaders
};
using Row = std::array<std::uint8_t, kReaders>;

constexpr Row all(std::uint8_t cycles) {
  Row row{};
  for (std::uint8_t& each : row) each = cycles;
  return row;
}

/// 0: not counted. A register never holds what makes a column meaningless (no guard is the result of an FADD).
struct Table {
  std::array<Row, isa::kCodePipes> rows{};
  constexpr Row& operator[](CodePipe pipe) { return rows[static_cast<unsigned>(pipe)]; }
};

constexpr Table hopper() {
  Table of;
  of[CodePipe::kNone] = all(1);
  //                         ALU FMA half h.MMA DP tensor vote unif. mem other guard
  of[CodePipe::kAlu] = Row{4, 5, 5, 6, 6, 7, 13, 4, 5, 4, 13};
  of[CodePipe::kVote] = of[CodePipe::kElect] = of[CodePipe::kAlu];
  of[CodePipe::kFma] = Row{5, 4, 5, 5, 6, 7, 13, 4, 5, 4, 13};
  of[CodePipe::kFmaWide] = Row{5, 4, 5, 5, 6, 7, 13, 4, 5, 4, 13};
  of[CodePipe::kFmaHigh] = Row{5, 4, 5, 5, 6, 7, 13, 4, 5, 4, 13};
  of[CodePipe::kHalf] = Row{5, 5, 4, 6, 5, 5, 13, 4, 5, 4, 13};
  of[CodePipe::kHalfMma] = Row{10, 10, 10, 8, 8, 8, 13, 6, 7, 6, 13};
  of[CodePipe::kDouble] = Row{10, 10, 10, 10, 8, 10, 14, 7, 7, 6, 14};
  of[CodePipe::kDoubleCompare] = Row{6, 6, 6, 6, 6, 6, 14, 6, 6, 6, 14};
  of[CodePipe::kTensor] = Row{13, 13, 13, 13, 13, 14, 13, 12, 12, 12, 13};
  of[CodePipe::kTensor8] = Row{16, 16, 16, 16, 16, 16, 16, 15, 15, 15, 16};
  of[CodePipe::kTensor8Float] = Row{16, 16, 16, 16, 16, 17, 16, 15, 15, 15, 16};
  of[CodePipe::kTensor16] = Row{24, 24, 24, 24, 24, 24, 24, 23, 23, 23, 24};
  of[CodePipe::kClock] = Row{6, 6, 6, 6, 6, 6, 13, 5, 5, 5, 13};
  of[CodePipe::kUniform] = Row{6, 6, 6, 6, 6, 6, 6, 4, 9, 9, 6};
  of[CodePipe::kUniformMove] = Row{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 5};
  of[CodePipe::kToUniform] = Row{8, 13, 13, 13, 13, 13, 13, 13, 13, 13, 13};
  return of;
}

constexpr Table turing() {
  Table of;
  of[CodePipe::kNone] = all(1);
  //                         ALU FMA half h.MMA DP tensor vote unif. mem other guard
  of[CodePipe::kAlu] = Row{4, 5, 6, 6, 6, 6, 12, 4, 8, 6, 12};
  of[CodePipe::kVote] = of[CodePipe::kElect] = of[CodePipe::kAlu];
  of[CodePipe::kFma] = Row{5, 4, 6, 6, 6, 6, 12, 4, 8, 6, 12};
  of[CodePipe::kFmaWide] = of[CodePipe::kFmaHigh] = of[CodePipe::kFma];
  of[CodePipe::kHalf] = Row{8, 8, 6, 6, 6, 6, 12, 6, 8, 6, 12};
  of[CodePipe::kDouble] = Row{13, 13, 13, 13, 12, 12, 13, 12, 12, 12, 13};
  of[CodePipe::kDoubleCompare] = Row{13, 13, 13, 13, 12, 12, 13, 12, 12, 12, 13};
  of[CodePipe::kClock] = Row{6, 6, 6, 6, 6, 6, 12, 6, 8, 6, 12};
  of[CodePipe::kUniform] = Row{6, 6, 6, 6, 6, 6, 6, 4, 9, 9, 6};
  of[CodePipe::kUniformMove] = Row{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
  of[CodePipe::kToUniform] = all(6);
  return of;
}

constexpr Table kHopper = hopper(), kTuring = turing();

Reader reader_of(CodePipe pipe) {
  switch (pipe) {
    case CodePipe::kAlu:
    case CodePipe::kClock:
      return kByAlu;
    case CodePipe::kFma:
    case CodePipe::kFmaWide:
    case CodePipe::kFmaHigh:
      return kByFma;
    case CodePipe::kHalf:
      return kByHalf;
    case CodePipe::kHalfMma:
      return kByHalfMma;
    case CodePipe::kDouble:
    case CodePipe::kDoubleCompare:
      return kByDouble;
    case CodePipe::kTensor:
    case CodePipe::kTensor8:
    case CodePipe::kTensor8Float:
    case CodePipe::kTensor16:
      return kByTensor;
    case CodePipe::kVote:
    case CodePipe::kUniformMove:
      return kByVote;
    case CodePipe::kUniform:
      return kByUniform;
    case CodePipe::kMemory:
      return kByMemory;
    default:
      return kByOther;
  }
}

const Row& row_of(const isa::Instruction& writer, isa::RegId reg) {
  const Table& table = writer.codes.turing != 0 ? kTuring : kHopper;
  CodePipe pipe = writer.codes.pipe;
  if (pipe == CodePipe::kElect && writer.dst[0].reg == reg) pipe = CodePipe::kUniformMove;
  return table.rows[static_cast<unsigned>(pipe)];
}

/// Products of 64 bits read the high word of C behind their other sources.
bool reads_late(const isa::Instruction& reader, isa::RegId reg) {
  if (reader.src[3].reg != reg) return false;
  const auto early = reader.src.begin();  // the register may be one of these, too
  return std::none_of(early, early + 3, [reg](const isa::Operand& source) { return source.reg == reg; });
}

bool is_product_of_64_bits(CodePipe pipe) { return pipe == CodePipe::kFmaWide || pipe == CodePipe::kFmaHigh; }

}  // namespace

bool is_counted(const isa::Instruction& writer) {
  return writer.codes.write_barrier == isa::ControlCodes::kNone && writer.unit != isa::Unit::kMemory &&
         row_of(writer, isa::kNoReg)[kByOther] != 0;
}

Cycle counted_cycles(const isa::Instruction& writer, isa::RegId reg, const isa::Instruction& reader) {
  const Row& row = row_of(writer, reg);
  const CodePipe from = writer.codes.pipe, to = reader.codes.pipe;
  const Cycle cycles = row[is_guard(reader, reg) && to != CodePipe::kUniform ? kAsGuard : reader_of(to)];
  if (is_guard(reader, reg)) return cycles;
  if (reader.codes.turing != 0)
    return is_product_of_64_bits(from) && is_product_of_64_bits(to) ? cycles + 2 : cycles;
  if (is_product_of_64_bits(to) && !is_product_of_64_bits(from) && reads_late(reader, reg))
    return std::max<Cycle>(cycles, 4) - 2;
  if (from == CodePipe::kFmaWide && reader_of(to) == kByAlu && writer.dst[0].reg == reg) return cycles - 2;
  // R2UR.OR adds to its predicate when it has the value.
  if (to == CodePipe::kToUniform && reader.src[1].reg == reg) return std::min<Cycle>(cycles, 2);
  return cycles;
}

Cycle written_cycles(const isa::Instruction& writer) {
  const Row& row = row_of(writer, isa::kNoReg);
  return std::min({row[kByAlu], row[kByFma], row[kByUniform], row[kByMemory], row[kByOther]});
}

}  // namespace heddle::core
