// LDGSTS, and the barriers in shared memory of sm_90 (SYNCS, ARRIVES). Copies are made at once.
//
// A barrier's 64 bits: what the next phase waits for is in bits 1 to 20, what this one waits for in 43 to 62, both as 2^20 minus the
// number; bytes in 22 to 42; the phase in 63.
#include <cstring>

#include "oracle/bits.h"
#include "oracle/sass/memory_access.h"

namespace heddle::oracle::machine_code {
namespace {

struct BarrierBits {
  static constexpr std::uint64_t kAll = low_bits(20);
  std::uint64_t pending, next, bytes, phase;

  explicit BarrierBits(std::uint64_t bits)
      : pending((kAll + 1 - (bits >> 43 & kAll)) & kAll),
        next((kAll + 1 - (bits >> 1 & kAll)) & kAll),
        bytes(bits >> 22 & low_bits(21)),
        phase(bits >> 63) {}
  [[nodiscard]] std::uint64_t bits() const {
    return ((kAll + 1 - next) & kAll) << 1 | (bytes & low_bits(21)) << 22 |
           ((kAll + 1 - pending) & kAll) << 43 | phase << 63;
  }
  void arrive(std::uint64_t count, std::uint64_t more_bytes) {
    if (count == 0 && more_bytes == 0) return;
    bytes = (bytes + more_bytes) & low_bits(21);
    pending = (pending - count) & kAll;
    if (pending != 0 || bytes != 0) return;
    phase ^= 1;
    pending = next;
  }
};

}  // namespace

std::string MemoryAccess::arrive(Values& v) {
  enum : unsigned { kA1Tr, kA1T0, kA0T1, kA0Tr, kArT0 = 5 };
  std::string problem;
  std::byte* const at = locate(v, 8, "barrier operation", host::Access::kKernelWrite, problem);
  if (at == nullptr) return problem;
  std::uint64_t old = 0;
  std::memcpy(&old, at, sizeof old);
  BarrierBits barrier(old);
  const std::uint32_t given = v.word(Role::kData);
  const bool of_copies = v.op().instruction.op == Opcode::kArrives;
  std::uint64_t count = 0, bytes = 0;
  constexpr unsigned kArrivals = 1;  // of ARRIVES: .ARVCNT
  switch (v.code(Modifier::kMode) + (of_copies ? 16u : 0u)) {
    case kA1Tr:
      count = 1, bytes = given;
      break;
    case kA1T0:
      count = 1;
      break;
    case kA0T1:
      bytes = 1;
      break;
    case kA0Tr:
      bytes = given;
      break;
    case kArT0:
      count = given;
      break;
    case 16 + kArrivals:  // of the lane's copies, which are there
      count = 1;
      break;
    default:
      bytes = ~std::uint64_t{0};
  }
  if (v.has(Modifier::kDrop)) barrier.next = (barrier.next - count) & BarrierBits::kAll;
  barrier.arrive(count, bytes);
  const std::uint64_t now = barrier.bits();
  std::memcpy(at, &now, sizeof now);
  if (of_copies || v.has(Modifier::kReductionOnly)) return {};
  // Lanes arrive one behind the other, so none of .TOGETHER has another one beside it.
  if (v.has(Modifier::kTogether)) old = (old >> 32 << 32) | std::uint64_t{1} << v.lane().thread % 32;
  v.set_pair(old);
  return {};
}

std::string MemoryAccess::exchange_barrier(Values& v) {
  std::string problem;
  std::byte* const at = locate(v, 8, "barrier operation", host::Access::kKernelWrite, problem);
  if (at == nullptr) return problem;
  std::uint64_t old = 0;
  std::memcpy(&old, at, sizeof old);
  const std::uint64_t now = v.pair(Role::kData);
  std::memcpy(at, &now, sizeof now);
  v.set_pair(old);
  return {};
}

std::string MemoryAccess::test_phase(Values& v) {
  std::string problem;
  const std::byte* const at = locate(v, 8, "barrier operation", host::Access::kKernelRead, problem);
  if (at == nullptr) return problem;
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  v.set_predicate(Role::kPd0, BarrierBits(bits).phase != v.word(Role::kData) >> 31);
  return {};
}

std::string MemoryAccess::copy(Values& v) {
  constexpr unsigned k32 = 4;
  const unsigned bytes = 4u << (v.code(Modifier::kSize) - k32);
  std::array<std::byte, 16> data{};
  std::string problem;
  const bool reads = v.predicate(Role::kPs0);
  Place from = place_of(v, Role::kAddress);
  unsigned read = bytes;
  if (v.has(Modifier::kZeroFill)) {
    const auto part = static_cast<unsigned>(from.address % bytes);
    from.address -= part;
    from.offset -= part;
    read -= part;
  }
  if (reads) {
    if (from.address % bytes != 0) {
      static_cast<void>(locate(v, from, bytes, "copy", host::Access::kKernelRead, problem));
      return problem;
    }
    for (unsigned i = 0; i < read; ++i) {  // of a lane that reads less, only that must be there
      Place byte = from;
      byte.address += i;
      byte.offset += i;
      const std::byte* const at = locate(v, byte, 1, "copy", host::Access::kKernelRead, problem);
      if (at == nullptr) return problem;
      data.at(i) = *at;
    }
  }
  std::byte* const to =
      locate(v, place_of(v, Role::kSharedAddress), bytes, "copy", host::Access::kKernelWrite, problem);
  if (to == nullptr) return problem;
  std::memcpy(to, data.data(), bytes);
  return {};
}

std::string MemoryAccess::copy_bulk(Values& v) {
  constexpr unsigned kIntoShared = 1, kUnit = 16, kMostUnits = 0xffff;
  const bool into_shared = v.code(Modifier::kMode) == kIntoShared;
  const std::uint64_t to = v.pair(Role::kA), from = v.pair(Role::kB);
  const std::uint64_t bytes = std::uint64_t{kUnit} * (v.word(Role::kCount) & kMostUnits);
  const auto place = [](bool shared, std::uint64_t at) {
    const std::uint64_t address = shared ? at & low_bits(32) : at;
    return Place{shared ? Space::kShared : Space::kGlobal, address, address};
  };
  std::string problem;
  for (std::uint64_t done = 0; done < bytes; done += kUnit) {
    std::byte* const target =
        locate(v, place(into_shared, to + done), kUnit, "copy", host::Access::kKernelWrite, problem);
    if (target == nullptr) return problem;
    const std::byte* const source =
        locate(v, place(!into_shared, from + done), kUnit, "copy", host::Access::kKernelRead, problem);
    if (source == nullptr) return problem;
    std::memcpy(target, source, kUnit);
  }
  if (!into_shared) return {};
  std::byte* const at =
      locate(v, place(true, to >> 32), 8, "barrier operation", host::Access::kKernelWrite, problem);
  if (at == nullptr) return problem;
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  BarrierBits barrier(bits);
  barrier.arrive(0, 0 - bytes);
  bits = barrier.bits();
  std::memcpy(at, &bits, sizeof bits);
  return {};
}

std::byte* MemoryAccess::matrix_row(Values& v, std::string& problem) {
  constexpr unsigned kRowBytes = 16;
  const bool stores = v.op().instruction.op == Opcode::kStsm;
  return locate(v, kRowBytes, stores ? "store" : "load",
                stores ? host::Access::kKernelWrite : host::Access::kKernelRead, problem);
}

}  // namespace heddle::oracle::machine_code
