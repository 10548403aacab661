#include "oracle/sass/memory_access.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "oracle/bits.h"

namespace heddle::oracle::machine_code {
namespace {

/// Bytes by the code of a size; U.128 is the same as 128.
constexpr std::array<unsigned, 8> kSizes{1, 1, 2, 2, 4, 8, 16, 16};

std::uint64_t base_register(const Values& v, const Operand& address, bool pair) {
  Operand base = address;
  base.kind = Operand::Kind::kRegister;
  const std::uint64_t low = read_register(v.lane(), base, 0);
  return pair ? low | std::uint64_t{read_register(v.lane(), base, 1)} << 32 : low;
}

std::uint64_t uniform_register(const Values& v, const Operand& address, bool pair) {
  Operand base;
  base.kind = Operand::Kind::kUniformRegister;
  base.number = address.uniform;
  const std::uint64_t low = read_register(v.lane(), base, 0);
  return pair ? low | std::uint64_t{read_register(v.lane(), base, 1)} << 32 : low;
}

/// Shared and local addresses have 32 bits.
std::uint64_t narrow_address(const Values& v, const Operand& address) {
  constexpr std::array<unsigned, 4> kShifts{0, 2, 3, 4};
  std::uint64_t sum = base_register(v, address, false) << kShifts[address.scale];
  if (address.uniform != sass::kNoRegister) sum += uniform_register(v, address, false);
  return (sum + static_cast<std::uint64_t>(address.value)) & low_bits(32);
}

/// Global and generic addresses: 64 bits with .E. The uniform register is a descriptor, which is no part of the address, or
/// the base of an offset that the other register holds.
std::uint64_t wide_address(const Values& v, const Operand& address) {
  const bool copies_from_base = v.op().instruction.op == Opcode::kLdgsts && !address.descriptor;
  const bool extended = v.has(Modifier::kWideAddress) || copies_from_base;
  const bool has_uniform = address.uniform != sass::kNoRegister;
  std::uint64_t sum = base_register(v, address, has_uniform ? address.wide : extended);
  if (has_uniform && !address.descriptor) sum += uniform_register(v, address, extended);
  sum += static_cast<std::uint64_t>(address.value);
  return extended ? sum : sum & low_bits(32);
}

bool is_shared(Opcode op) {
  return op == Opcode::kLds || op == Opcode::kSts || op == Opcode::kAtoms || op == Opcode::kAtomsCas ||
         op == Opcode::kAtomsCast || op == Opcode::kAtomsPopcInc || op == Opcode::kLdsm ||
         op == Opcode::kStsm || op == Opcode::kSyncsArrive || op == Opcode::kSyncsExchange ||
         op == Opcode::kSyncsPhase || op == Opcode::kArrives;
}
bool is_generic(Opcode op) {
  return op == Opcode::kLd || op == Opcode::kSt || op == Opcode::kAtom || op == Opcode::kAtomCas ||
         op == Opcode::kAtomCast || op == Opcode::kQspc;
}

unsigned bytes_of(AtomicType type) {
  switch (type) {
    case AtomicType::kU64:
    case AtomicType::kS64:
    case AtomicType::kF64:
      return 8;
    case AtomicType::kB128:
      return 16;
    default:
      return 4;
  }
}

void give(Values& v, std::uint64_t value, unsigned bytes) {
  if (bytes == 8)
    v.set_pair(value);
  else
    v.set(static_cast<std::uint32_t>(value));
}

std::uint64_t taken(const Values& v, Role role, unsigned bytes) {
  return bytes == 8 ? v.pair(role) : v.word(role);
}

}  // namespace

bool MemoryAccess::performs(Opcode op) {
  switch (op) {
    case Opcode::kLdg:
    case Opcode::kLdl:
    case Opcode::kStg:
    case Opcode::kStl:
    case Opcode::kAtomg:
    case Opcode::kAtomgCas:
    case Opcode::kRed:
    case Opcode::kLdgsts:
    case Opcode::kUblkcp:
      return true;
    case Opcode::kLdsm:  // of the whole warp
    case Opcode::kStsm:
      return false;
    default:
      return is_shared(op) || is_generic(op);
  }
}

bool MemoryAccess::polls(const Op& op) {
  const Opcode code = op.instruction.op;
  if (code == Opcode::kLd || code == Opcode::kLdg) {
    const unsigned order = op.value(Modifier::kOrder);
    constexpr unsigned kStrong75 = 2, kFirstStrong90 = 5;
    return op.instruction.arch == Arch::kSm75 ? order == kStrong75 : order >= kFirstStrong90;
  }
  return code == Opcode::kAtom || code == Opcode::kAtomg || code == Opcode::kAtoms ||
         code == Opcode::kAtomCas || code == Opcode::kAtomgCas || code == Opcode::kAtomsCas ||
         code == Opcode::kAtomsCast || code == Opcode::kAtomCast || code == Opcode::kSyncsPhase;
}

std::string MemoryAccess::perform(Values& v) {
  switch (v.op().instruction.op) {
    case Opcode::kLd:
    case Opcode::kLdg:
    case Opcode::kLds:
    case Opcode::kLdl:
      return load(v);
    case Opcode::kSt:
    case Opcode::kStg:
    case Opcode::kSts:
    case Opcode::kStl:
      return store(v);
    case Opcode::kQspc:
      return test_space(v);
    case Opcode::kLdgsts:
      return copy(v);
    case Opcode::kUblkcp:
      return copy_bulk(v);
    case Opcode::kSyncsArrive:
    case Opcode::kArrives:
      return arrive(v);
    case Opcode::kSyncsExchange:
      return exchange_barrier(v);
    case Opcode::kSyncsPhase:
      return test_phase(v);
    case Opcode::kAtomCas:
    case Opcode::kAtomgCas:
    case Opcode::kAtomsCas:
    case Opcode::kAtomsCast:
    case Opcode::kAtomCast:
      return compare_and_swap(v);
    default:
      return atomic(v);
  }
}

bool MemoryAccess::read_byte(Lane& lane, std::uint64_t address, std::byte& byte) {
  if (const std::uint64_t offset = address - isa::kSharedWindowBase; offset < isa::kSharedWindowBytes) {
    if (offset >= shared_.size()) return false;
    byte = shared_[offset];
    return true;
  }
  if (const std::uint64_t offset = address - isa::kLocalWindowBase; offset < isa::kLocalWindowBytes) {
    if (offset >= LocalMemory::kBytes) return false;
    byte = *lane.local.at(offset);
    return true;
  }
  if (!allocations_.allows(host::Access::kKernelRead, address, 1)) return false;
  memory_.read(address, {&byte, 1});
  return true;
}

MemoryAccess::Place MemoryAccess::place_of(const Values& v, Role role) const {
  const Opcode op = v.op().instruction.op;
  const Operand& operand = *v.op().find(role);
  Place place;
  if (role == Role::kSharedAddress) {
    place.space = Space::kShared;
    place.address = place.offset = narrow_address(v, operand);
    return place;
  }
  if (is_shared(op) || op == Opcode::kLdl || op == Opcode::kStl) {
    place.space = is_shared(op) ? Space::kShared : Space::kLocal;
    place.address = place.offset = narrow_address(v, operand);
    return place;
  }
  place.address = place.offset = wide_address(v, operand);
  if (!is_generic(op)) return place;
  if (place.address - isa::kSharedWindowBase < isa::kSharedWindowBytes) {
    place.space = Space::kShared;
    place.offset = place.address - isa::kSharedWindowBase;
  } else if (place.address - isa::kLocalWindowBase < isa::kLocalWindowBytes) {
    place.space = Space::kLocal;
    place.offset = place.address - isa::kLocalWindowBase;
  }
  return place;
}

std::byte* MemoryAccess::locate(Values& v, const Place& place, unsigned bytes, const char* what,
                                host::Access access, std::string& problem) {
  const auto refuse = [&](std::string_view why) {
    problem = fmt::format("{} of {} bytes at {:#x} {}", what, bytes, place.address, why);
    return nullptr;
  };
  if (place.address % bytes != 0) return refuse("is misaligned");
  if (place.space == Space::kShared) {
    if (place.offset > shared_.size() || bytes > shared_.size() - place.offset)
      return refuse(fmt::format("is outside the {} bytes of shared memory of the CTA", shared_.size()));
    return shared_.data() + place.offset;
  }
  if (place.space == Space::kLocal) {
    if (place.offset >= LocalMemory::kBytes)
      return refuse(
          fmt::format("is outside the {} bytes of local memory of the thread", LocalMemory::kBytes));
    return v.lane().local.at(place.offset);
  }
  if (!allocations_.allows(access, place.address, bytes) && !allocations_.tolerates(place.address, bytes))
    return refuse("is out of bounds: " + allocations_.describe_refused(place.address));
  return access == host::Access::kKernelRead ? memory_.at(place.address) : memory_.at_to_write(place.address);
}

std::string MemoryAccess::load(Values& v) {
  const unsigned code = v.code(Modifier::kSize);
  const unsigned bytes = kSizes[code];
  std::string problem;
  const std::byte* from = locate(v, bytes, "load", host::Access::kKernelRead, problem);
  if (from == nullptr) return problem;
  std::array<std::uint32_t, 4> words{};
  std::memcpy(words.data(), from, bytes);
  const bool is_signed = bytes < 4 && (code & 1) != 0;
  if (is_signed && (words[0] >> (8 * bytes - 1) & 1) != 0)
    words[0] |= ~static_cast<std::uint32_t>(low_bits(8 * bytes));
  for (unsigned i = 0; i < std::max(1u, bytes / 4); ++i)
    write_register(v.lane(), *v.op().find(Role::kDst), i, words[i]);
  return {};
}

std::string MemoryAccess::store(Values& v) {
  const unsigned bytes = kSizes[v.code(Modifier::kSize)];
  std::string problem;
  std::byte* to = locate(v, bytes, "store", host::Access::kKernelWrite, problem);
  if (to == nullptr) return problem;
  std::array<std::uint32_t, 4> words{};
  for (unsigned i = 0; i < std::max(1u, bytes / 4); ++i)
    words[i] = read_register(v.lane(), *v.op().find(Role::kData), i);
  std::memcpy(to, words.data(), bytes);
  return {};
}

std::string MemoryAccess::atomic(Values& v) {
  const Op& op = v.op();
  const bool counts = op.instruction.op == Opcode::kAtomsPopcInc;
  const AtomicType type = counts ? AtomicType::kU32 : atomic_type(op);
  const auto operation =
      counts ? AtomicOperation::kAdd : static_cast<AtomicOperation>(op.value(Modifier::kOperation));
  const unsigned bytes = bytes_of(type);
  std::string problem;
  const unsigned elements = counts ? 1 : atomic_elements(op);
  std::byte* at = locate(v, bytes * elements, "atomic", host::Access::kKernelWrite, problem);
  if (at == nullptr) return problem;
  for (unsigned i = 0; elements > 1 && i < elements; ++i, at += bytes) {
    std::uint32_t old = 0;
    std::memcpy(&old, at, bytes);
    const std::uint32_t operand = read_register(v.lane(), *op.find(Role::kData), i);
    const auto next = static_cast<std::uint32_t>(combine(operation, type, old, operand, true));
    std::memcpy(at, &next, bytes);
    if (const Operand* dst = op.find(Role::kDst)) write_register(v.lane(), *dst, i, old);
  }
  if (elements > 1) {
    v.set_predicate(Role::kPd0, true);
    return {};
  }
  if (type == AtomicType::kB128) {
    std::array<std::uint32_t, 4> words{};
    std::memcpy(words.data(), at, bytes);
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t next = read_register(v.lane(), *op.find(Role::kData), i);
      std::memcpy(at + 4 * i, &next, 4);
    }
    for (unsigned i = 0; i < 4; ++i)
      if (const Operand* dst = op.find(Role::kDst)) write_register(v.lane(), *dst, i, words[i]);
    v.set_predicate(Role::kPd0, true);
    return {};
  }
  std::uint64_t old = 0;
  std::memcpy(&old, at, bytes);
  const std::uint64_t operand = counts ? 1 : taken(v, Role::kData, bytes);
  const std::uint64_t next = combine(operation, type, old, operand, place_of(v).space != Space::kShared);
  std::memcpy(at, &next, bytes);
  give(v, old, bytes);
  v.set_predicate(Role::kPd0, true);
  return {};
}

std::string MemoryAccess::compare_and_swap(Values& v) {
  constexpr unsigned k64 = 2, k128 = 4;
  const unsigned type = v.code(Modifier::kType);
  const unsigned bytes = type == k128 ? 16 : type == k64 ? 8 : 4;
  std::string problem;
  std::byte* at = locate(v, bytes, "atomic", host::Access::kKernelWrite, problem);
  if (at == nullptr) return problem;
  if (type == k128) {
    std::array<std::uint32_t, 4> old{}, expected{}, next{};
    std::memcpy(old.data(), at, bytes);
    for (unsigned i = 0; i < 4; ++i) {
      expected[i] = read_register(v.lane(), *v.op().find(Role::kData), i);
      next[i] = read_register(v.lane(), *v.op().find(Role::kData2), i);
    }
    if (old == expected) std::memcpy(at, next.data(), bytes);
    for (unsigned i = 0; i < 4; ++i) write_register(v.lane(), *v.op().find(Role::kDst), i, old[i]);
    v.set_predicate(Role::kPd0, true);
    return {};
  }
  std::uint64_t old = 0;
  std::memcpy(&old, at, bytes);
  const bool equal = old == taken(v, Role::kData, bytes);
  const std::uint64_t next = taken(v, Role::kData2, bytes);
  if (equal) std::memcpy(at, &next, bytes);
  // CAST says whether it has stored, the others what was there.
  const Opcode op = v.op().instruction.op;
  give(v, op == Opcode::kAtomsCast || op == Opcode::kAtomCast ? std::uint64_t{equal} : old, bytes);
  v.set_predicate(Role::kPd0, true);
  return {};
}

std::string MemoryAccess::test_space(Values& v) const {
  constexpr std::array kSpaces{Space::kGlobal, Space::kLocal, Space::kShared, Space::kShared};
  v.set_predicate(Role::kPd0, place_of(v).space == kSpaces[v.code(Modifier::kType)]);
  return {};
}

}  // namespace heddle::oracle::machine_code
