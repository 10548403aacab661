// An operation of the core that an interposer keeps for later. The scoreboard lets a warp overwrite the sources
// of an operation that has issued: their rows are copied. Until the operation is passed on or dropped, the
// warp's counters say that it is outstanding, so that fences wait and no CTA ends.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/protocols/lsu_protocol.h"
#include "isa/row_bytes.h"

namespace heddle::core {

class HeldOperation {
 public:
  /// `request`: kIssue or kOffer.
  explicit HeldOperation(const LsuRequest& request);
  HeldOperation(const HeldOperation&) = delete;
  HeldOperation& operator=(const HeldOperation&) = delete;

  /// As it was given. Refers to this object.
  [[nodiscard]] LsuRequest request(LsuRequest::Op op, Cycle cycle) const;
  [[nodiscard]] const isa::Instruction& instruction() const { return *instruction_; }
  [[nodiscard]] Pc pc() const { return pc_; }
  [[nodiscard]] std::span<const MemorySlice> slices() const { return {slices_.data(), slice_count_}; }

  /// The load/store unit has taken the operation: it counts it.
  void passed_on() { count_end(); }
  /// The interposer has answered it; the completion that the core gets. Refers to this object.
  [[nodiscard]] LsuCompletion answered();

 private:
  void count_end();

  const isa::Instruction* instruction_;
  Pc pc_;
  const CtaContext* cta_;
  std::uint32_t tag_;
  bool core_private_;
  std::uint32_t slice_count_;
  std::array<MemorySlice, kLanes> slices_;
  std::vector<isa::RowBytes> rows_;  ///< by slice: the sources, at the offsets of the home block
};

}  // namespace heddle::core
