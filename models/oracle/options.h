// How the oracle runs a grid, of PTX or of machine code.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "host/device_heap.h"
#include "oracle/instruction_tap.h"
#include "oracle/memory.h"

namespace heddle::oracle {

/// In which order threads execute their transactions ([KiloTM] §5.3). Without one they take them as they come.
class TransactionOrder {
 public:
  virtual ~TransactionOrder() = default;
  /// Whether the next transaction is this thread's; asked until it is. `cta`: linear number.
  [[nodiscard]] virtual bool is_next(std::uint64_t cta, std::uint32_t thread) = 0;
  virtual void committed(std::uint64_t cta, std::uint32_t thread) = 0;
  /// Memory as the transaction that has just committed leaves it; valid during the call.
  virtual void leaves(SparseMemory& /*memory*/) {}
};

struct Options {
  /// Instructions a thread may run before the next one takes its turn. Atomics with a result and volatile
  /// loads end a turn early, so that spinning costs little. At least 1.
  std::uint32_t slice = 128;
  /// false: those do not, and with a long slice a thread runs from barrier to barrier.
  bool polls_end_turns = true;
  /// Not 0: turns have random lengths of 1..slice drawn from this seed. Results of race-free kernels do not
  /// depend on it.
  std::uint64_t seed = 0;
  /// Limit of resident threads; at least one CTA is resident. Further CTAs start as others finish.
  std::uint32_t resident_threads = 65536;
  /// Per launch; exceeding it is reported as a hang.
  std::uint64_t max_thread_instructions = 4'000'000'000;
  /// Called when all threads of a CTA have taken a turn; an exception it throws ends the launch. May be
  /// empty.
  std::function<void()> on_turn = nullptr;
  /// Hears of the instructions of the threads that it wants. Null: nobody does.
  InstructionTap* tap = nullptr;
  /// Matrix products: those whose elements have so many bits together are summed at once, aligned and truncated to so many
  /// fraction bits beyond the 23 of f32 (core.tensor_block_bits, core.tensor_extra_bits).
  std::uint32_t tensor_block_bits = 128;
  std::uint32_t tensor_extra_bits = 1;
  TransactionOrder* transactions = nullptr;                    ///< null: any order
  std::uint64_t heap_bytes = host::DeviceHeap::kDefaultBytes;  ///< of kernels with malloc
  /// Receives what kernels print; empty: nothing is printed.
  std::function<void(const std::string& text)> on_print = nullptr;
};

}  // namespace heddle::oracle
