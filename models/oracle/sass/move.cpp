// Moves, selections, constants, predicates as bits, convergence barriers as registers.
#include <array>

#include "frontend/sass/form.h"
#include "oracle/bits.h"
#include "oracle/sass/lane.h"

namespace heddle::oracle::machine_code {
namespace {

void mov(Values& v) { v.set(v.word(Role::kB)); }

void sel(Values& v) { v.set(v.word(v.predicate(Role::kPs0) ? Role::kA : Role::kB)); }

/// Bits 0 to 6: P0 to P6. They lie in one byte of the register.
constexpr unsigned kPredicateBits = 7;

std::array<bool, 8>& predicates_of(Values& v) {
  return v.op().instruction.form->uniform ? v.lane().uniform_predicates : v.lane().predicates;
}

void p2r(Values& v) {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < kPredicateBits; ++i)
    if (predicates_of(v)[i]) bits |= 1u << i;
  const unsigned shift = 8 * v.code(Modifier::kByte);
  const std::uint32_t mask = v.word(Role::kMask) & static_cast<std::uint32_t>(low_bits(kPredicateBits));
  v.set((v.word(Role::kA) & ~(mask << shift)) | (bits & mask) << shift);
}

void r2p(Values& v) {
  const std::uint32_t byte = v.word(Role::kA) >> (8 * v.op().find(Role::kA)->half);
  for (unsigned i = 0; i < kPredicateBits; ++i)
    if ((v.word(Role::kMask) >> i & 1) != 0) predicates_of(v)[i] = (byte >> i & 1) != 0;
}

void b2r(Values& v) {
  v.set(v.lane().barrier_result);
  v.set_predicate(Role::kPd0, v.lane().barrier_result != 0);
}

/// LDC and ULDC: c[bank][register + offset].
void load_constant(Values& v) {
  constexpr std::array<unsigned, 7> kBits{8, 8, 16, 16, 32, 64, 128};
  const unsigned size = v.code(Modifier::kSize);
  const Operand& from = *v.op().find(Role::kAddress);
  std::uint32_t index = 0;
  if (from.uniform != sass::kNoRegister) index = v.lane().uniform[from.uniform];
  if (from.number != sass::kRz) index += v.lane().registers[from.number];
  const std::uint32_t offset = index + static_cast<std::uint32_t>(from.value);
  const unsigned bits = kBits.at(size);
  if (const Operand* to = v.op().find(Role::kDst); bits > 32) {
    for (unsigned word = 0; word < bits / 32; ++word)
      write_register(v.lane(), *to, word,
                     static_cast<std::uint32_t>(v.banks().read(from.bank, offset + 4 * word, 4)));
    return;
  }
  std::uint64_t value = v.banks().read(from.bank, offset, bits / 8);
  const bool is_signed = bits < 32 && (size & 1) != 0;
  if (is_signed && (value >> (bits - 1) & 1) != 0) value |= ~low_bits(bits);
  v.set(static_cast<std::uint32_t>(value));
}

void bmov_read(Values& v) {
  std::uint32_t& barrier = v.lane().convergence[v.op().find(Role::kBarrier)->number];
  v.set(barrier);
  if (v.has(Modifier::kClear)) barrier = 0;
}

void bmov_write(Values& v) { v.lane().convergence[v.op().find(Role::kBarrier)->number] = v.word(Role::kB); }

void rpcmov_read(Values& v) { v.set(v.lane().return_pc.at(v.op().find(Role::kB)->number)); }
void rpcmov_write(Values& v) { v.lane().return_pc.at(v.op().find(Role::kDst)->number) = v.word(Role::kB); }

/// Fences and waits for scoreboards: memory is sequentially consistent here, and results are there at once.
void nothing(Values&) {}

}  // namespace

LaneFunction move_function(Opcode op) {
  switch (op) {
    case Opcode::kMov:
    case Opcode::kUmov:
      return mov;
    case Opcode::kSel:
    case Opcode::kUsel:
      return sel;
    case Opcode::kP2r:
      return p2r;
    case Opcode::kR2p:
      return r2p;
    case Opcode::kB2r:
      return b2r;
    case Opcode::kLdc:
    case Opcode::kUldc:
      return load_constant;
    case Opcode::kBmovRead:
      return bmov_read;
    case Opcode::kBmovWrite:
      return bmov_write;
    case Opcode::kRpcmovRead:
      return rpcmov_read;
    case Opcode::kRpcmovWrite:
      return rpcmov_write;
    case Opcode::kNop:
    case Opcode::kCctl:
    case Opcode::kMembar:
    case Opcode::kErrbar:
    case Opcode::kCgaerrbar:
    case Opcode::kDepbar:
    case Opcode::kLdgdepbar:
    case Opcode::kSyncsCctl:
    case Opcode::kFenceView:
    case Opcode::kAcqbulk:
    case Opcode::kPreexit:
      return nothing;
    default:
      return nullptr;
  }
}

}  // namespace heddle::oracle::machine_code
