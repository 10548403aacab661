// Register file: reads of operands, writes of results.
#pragma once

#include <cstdint>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "isa/instruction.h"

namespace heddle::core {

struct RegisterFileRequest {
  enum class Op : std::uint8_t {
    kRead,   ///< `instruction` was issued in `cycle`: its operands are collected
    kWrite,  ///< its result is there in `cycle`
  };
  Op op = Op::kRead;
  std::uint8_t lanes = 0;  ///< how many lanes read or write
  std::uint8_t homes = 1;  ///< home warps that these are of
  std::uint32_t sub_core = 0;
  WarpId warp{};
  const isa::Instruction* instruction = nullptr;
  Cycle cycle = 0;
  Cycle late = 0;  ///< answer: cycles later than without any conflict
};
using RegisterFileProtocol = ProtocolOf<RegisterFileRequest>;

class RegisterFilePort : public sim::BlockInitiator<RegisterFileProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = RegisterFileRequest::Op;

  // By how many cycles it is late; `op` is set here.
  [[nodiscard]] Cycle read(RegisterFileRequest request) {
    request.op = Op::kRead;
    call(request);
    return request.late;
  }
  [[nodiscard]] Cycle write(RegisterFileRequest request) {
    request.op = Op::kWrite;
    call(request);
    return request.late;
  }
};

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::RegisterFileProtocol);
