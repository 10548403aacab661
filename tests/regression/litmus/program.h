// A litmus test: a few threads with a few memory operations each, and which outcomes there are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::litmus {

enum class Order : std::uint8_t {
  kWeak,
  kVolatile,
  kMmio,
  kRelaxed,
  kAcquire,
  kRelease,
  kAcquireRelease,
  kSequential
};
enum class Scope : std::uint8_t { kCta, kGpu, kSystem };
enum class What : std::uint8_t {
  kLoad,
  kStore,
  kAdd,       ///< atom.add
  kExchange,  ///< atom.exch, its result is not part of the outcome
  kReduce,    ///< red.add
  kFence,
  kMembar,
  kBarrier
};

inline constexpr unsigned kNone = ~0u;

struct Operation {
  What what = What::kLoad;
  Order order = Order::kWeak;
  Scope scope = Scope::kGpu;  ///< unless it is weak, volatile, mmio or a barrier
  unsigned location = 0;
  std::uint32_t value = 0;  ///< stored, or added
  unsigned plus = kNone;    ///< a register of the thread that is added to what is stored
  unsigned reg = kNone;     ///< where what is read goes, numbered through all threads
  bool before_edge = false, behind_edge = false;  ///< neighbours of a `-` in its shape

  [[nodiscard]] bool reads() const {
    return what == What::kLoad || what == What::kAdd || what == What::kExchange || what == What::kReduce;
  }
  [[nodiscard]] bool writes() const {
    return what == What::kStore || what == What::kAdd || what == What::kExchange || what == What::kReduce;
  }
  [[nodiscard]] bool is_fence() const { return what == What::kFence || what == What::kMembar; }
  [[nodiscard]] bool is_atomic() const { return reads() && writes(); }
  [[nodiscard]] bool strong() const { return order != Order::kWeak; }
  [[nodiscard]] bool acquires() const {
    return order == Order::kAcquire || order == Order::kAcquireRelease || order == Order::kSequential;
  }
  [[nodiscard]] bool releases() const {
    return order == Order::kRelease || order == Order::kAcquireRelease || order == Order::kSequential;
  }
  /// Volatile and mmio are the system's, and membar is fence.sc (PTX ISA).
  [[nodiscard]] bool of_cta() const {
    return scope == Scope::kCta && order != Order::kVolatile && order != Order::kMmio;
  }
};

struct Thread {
  unsigned cta = 0;
  std::vector<Operation> operations;
};

struct Program {
  std::string name;
  std::vector<Thread> threads;
  unsigned locations = 0;
  unsigned registers = 0;
  bool same_warp = false;  ///< its threads are lanes of one warp

  /// One line: name, threads with their CTAs and instructions.
  [[nodiscard]] std::string text() const;
};

/// What the registers and then the locations hold at the end.
using Outcome = std::vector<std::uint32_t>;

/// The PTX of an operation; `address`, `result`, `stored`: operands, as far as it has them.
[[nodiscard]] std::string instruction(const Operation& operation, const std::string& address,
                                      const std::string& result, const std::string& stored);

/// A program from its shape, with weak accesses: threads separated by `|`, operations by blanks.
///   Wx1  store 1 to x (x, y or z); Wx1+0: 1 + what the thread's first read returned
///   Rx   load;  Ax1  atom.add;  Dx1  red.add;  B  barrier of the CTA
///   -    a place for what synchronises: nothing yet
[[nodiscard]] Program parse(const std::string& name, const std::string& shape);

}  // namespace heddle::litmus
