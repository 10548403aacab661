// Hears of every instruction that a thread executes on the oracle, for who records traces of threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "host/device.h"
#include "isa/types.h"

namespace heddle::oracle {

/// One instruction of one thread, before it has an effect.
struct ExecutedInstruction {
  enum class Flow : std::uint8_t {
    kNext,     ///< goes on at the next instruction
    kJump,     ///< a branch; whether taken or not
    kCall,     ///< of a function
    kReturn,   ///< to the caller
    kExit,     ///< of the thread
    kBarrier,  ///< waits at a barrier of the CTA
  };
  std::uint64_t cta = 0;          ///< linear number
  std::uint32_t thread = 0;       ///< linear number within the CTA
  std::uint32_t pc = 0;           ///< number of the instruction; functions follow the kernel
  std::uint32_t level = 0;        ///< activation records below the current one
  std::uint64_t stack_bytes = 0;  ///< local memory in use
  Flow flow = Flow::kNext;
  bool direct = true;            ///< jump or call to a fixed place
  bool may_fall_through = true;  ///< a jump, call or return that other threads may not take
  /// Contents of the registers read; predicates are 0 or 1.
  std::array<std::uint64_t, 24> registers{};
  std::uint32_t register_count = 0;
  bool has_address = false;
  isa::StateSpace space = isa::StateSpace::kNone;  ///< of the address; never generic
  std::uint64_t address = 0;                       ///< within the space; global: the device address
};

class InstructionTap {
 public:
  virtual ~InstructionTap() = default;
  virtual void begin_launch(const std::string& kernel, const host::Launch& shape) = 0;
  /// Asked often; of threads that it does not want executed() is not called.
  [[nodiscard]] virtual bool wants(std::uint64_t cta, std::uint32_t thread) = 0;
  virtual void executed(const ExecutedInstruction& instruction) = 0;
  virtual void end_launch() = 0;
};

}  // namespace heddle::oracle
