// Registers of a lane, and how an instruction reads and writes them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "oracle/sass/op.h"

namespace heddle::oracle::machine_code {

/// Constant banks of a launch. What lies behind the end of a bank reads as zero.
struct Banks {
  static constexpr unsigned kCount = 5;
  std::array<std::vector<std::byte>, kCount> bytes;

  /// `size` bytes, at most 8, zero-extended.
  [[nodiscard]] std::uint64_t read(unsigned bank, std::uint64_t offset, unsigned size) const;
};

/// A thread's local memory, in pages that exist once they are touched.
class LocalMemory {
 public:
  static constexpr std::uint64_t kBytes = 512 << 10;
  /// Storage of `address` up to the end of its page; a naturally aligned access of up to 16 bytes does not cross it.
  [[nodiscard]] std::byte* at(std::uint64_t address);

 private:
  static constexpr std::uint64_t kPageBytes = 4096;
  using Page = std::array<std::byte, kPageBytes>;
  std::vector<std::unique_ptr<Page>> pages_;  ///< empty until the first access
};

/// Uniform registers and predicates, and convergence barriers, are kept by lane: lanes of a warp may be at different
/// places of the code, and a value belongs to those that computed it.
struct Lane {
  std::array<std::uint32_t, 256> registers{};   ///< RZ stays 0
  std::array<std::uint32_t, 64> uniform{};      ///< URZ stays 0
  std::array<bool, 8> predicates{};             ///< PT stays true
  std::array<bool, 8> uniform_predicates{};     ///< UPT stays true
  std::array<std::uint32_t, 16> convergence{};  ///< lanes of B0 to B15
  std::array<std::uint32_t, 2> return_pc{};     ///< Rpc: low half, high half
  std::uint32_t barrier_result = 0;             ///< of the last BAR.RED
  std::uint32_t members = 0;                    ///< the mask of the WARPSYNC at which it waits
  bool exclusive = false;                       ///< ... is .EXCLUSIVE or .COLLECTIVE
  bool collective = false;                      ///< ... is .COLLECTIVE
  std::uint64_t collective_end = 0;             ///< where ENDCOLLECTIVE leads
  std::array<std::uint32_t, 3> tid{};
  std::uint32_t thread = 0;  ///< linear number within the CTA
  LocalMemory local;

  Lane() { predicates[sass::kPt] = uniform_predicates[sass::kPt] = true; }
};

/// The operands of an instruction in a lane. A role that the instruction does not have reads as zero and takes nothing.
class Values {
 public:
  Values(const Op& op, Lane& lane, const Banks& banks) : op_(op), lane_(lane), banks_(banks) {}

  [[nodiscard]] const Op& op() const { return op_; }
  [[nodiscard]] bool has(Modifier modifier) const { return op_.has(modifier); }
  [[nodiscard]] unsigned code(Modifier modifier) const { return op_.value(modifier); }

  /// 32 bits, without the operand's sign modifiers.
  [[nodiscard]] std::uint32_t word(Role role) const;
  /// 64 bits: a register and the next one, 8 bytes of a bank. An immediate is extended by its sign.
  [[nodiscard]] std::uint64_t pair(Role role) const;
  [[nodiscard]] bool negated(Role role) const;
  [[nodiscard]] bool absolute(Role role) const;
  /// -x of the integer if it is negated.
  [[nodiscard]] std::uint32_t integer(Role role) const;
  /// ~x if it is negated.
  [[nodiscard]] std::uint32_t inverted(Role role) const;
  /// Bits of the number with its sign modifiers; a NaN keeps its payload.
  [[nodiscard]] std::uint32_t single_bits(Role role) const;
  [[nodiscard]] float single(Role role) const { return std::bit_cast<float>(single_bits(role)); }
  [[nodiscard]] std::uint64_t double_bits(Role role) const;
  /// A predicate with its NOT; false without one.
  [[nodiscard]] bool predicate(Role role) const;

  void set(std::uint32_t value);
  void set_pair(std::uint64_t value);
  void set_predicate(Role role, bool value);

  [[nodiscard]] Lane& lane() { return lane_; }
  [[nodiscard]] const Lane& lane() const { return lane_; }
  [[nodiscard]] const Banks& banks() const { return banks_; }

 private:
  const Op& op_;
  Lane& lane_;
  const Banks& banks_;
};

/// Whether the guard lets the lane execute the instruction.
[[nodiscard]] bool guard_holds(const Op& op, const Lane& lane);

/// A register or uniform register; the highest numbers are RZ and URZ and take nothing.
void write_register(Lane& lane, const Operand& operand, unsigned offset, std::uint32_t value);
[[nodiscard]] std::uint32_t read_register(const Lane& lane, const Operand& operand, unsigned offset);

}  // namespace heddle::oracle::machine_code
