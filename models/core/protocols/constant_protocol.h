// Constant cache (memory/constant_cache.h): reads of the load/store unit, operands of instructions that issue.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "isa/launch_constants.h"
#include "sim/block_socket.h"

namespace heddle::core {

/// Who waits for a constant: an address of a memory operation.
struct ConstantTarget {
  static constexpr std::uint32_t kNobody =
      ~std::uint32_t{0};  ///< for `op`: only the second level gets the line
  std::uint32_t op = 0;
  std::uint32_t access = 0;
};

struct ConstantRequest {
  enum class Op : std::uint8_t {
    kRead,        ///< bytes from `address` on, for `target`; they lie in one line
    kInvalidate,  ///< start of a kernel
    kHold,        ///< start of a kernel: the second level has the `held` bytes from `address` on
    kImmediate,  ///< `word` is an operand of an instruction: kHit, there in `late` cycles; else to be asked again
    kAnyLine,  ///< transport_dbg only: is a line here? kHit, the first at `address`. Nothing changes
  };
  enum class Result : std::uint8_t {
    kHit,    ///< `data` points at the first byte
    kMiss,   ///< the value comes later, as a ConstantValue
    kStall,  ///< no MSHR, or its targets are full: try again when a fill has arrived
    kNoPort  ///< no room in the memory port: try again when there is
  };
  Op op = Op::kRead;
  std::uint64_t address = 0;
  ConstantTarget target{};
  Cycle cycle = 0;
  std::span<const std::byte> held{};
  const isa::BankWord* word = nullptr;

  Result result = Result::kStall;
  const unsigned char* data = nullptr;
  Cycle late = 0;  ///< kHit: cycles until the line is there
};
using ConstantProtocol = ProtocolOf<ConstantRequest>;

class ConstantPort : public sim::BlockInitiator<ConstantProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = ConstantRequest::Op;

  [[nodiscard]] ConstantRequest read(std::uint64_t address, ConstantTarget target, Cycle cycle) {
    return call({.op = Op::kRead, .address = address, .target = target, .cycle = cycle});
  }
  void invalidate() { call({.op = Op::kInvalidate}); }
  void hold(std::uint64_t address, std::span<const std::byte> bytes) {
    call({.op = Op::kHold, .address = address, .held = bytes});
  }
  /// Cycles until the operand is there; nothing: its line has been sent for.
  [[nodiscard]] std::optional<Cycle> immediate(const isa::BankWord& word, Cycle cycle) {
    const ConstantRequest found = call({.op = Op::kImmediate, .cycle = cycle, .word = &word});
    return found.result == ConstantRequest::Result::kHit ? std::optional(found.late) : std::nullopt;
  }
  /// The first line that is here. Nothing changes.
  [[nodiscard]] std::optional<std::uint64_t> any_line() {
    const ConstantRequest found = inspect({.op = Op::kAnyLine});
    return found.result == ConstantRequest::Result::kHit ? std::optional(found.address) : std::nullopt;
  }
};

/// A value that was waited for. `data` is valid during the call.
struct ConstantValue {
  ConstantTarget target;
  const unsigned char* data = nullptr;
  Cycle cycle = 0;
};
using ConstantValueProtocol = ProtocolOf<ConstantValue>;

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::ConstantProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::ConstantValueProtocol);
