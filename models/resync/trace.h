// Per-thread traces: what a thread executed, one record per dynamic instruction ([Resync] §4.2).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "resync/thread_views.h"

namespace heddle::resync {

inline constexpr unsigned kMaxAddresses = 4;

struct TraceRecord {
  enum Flag : std::uint8_t {
    kBlockBegin = 1,     ///< first instruction of a block that hardware can detect
    kAfterBarrier = 2,   ///< the thread has passed a barrier just before
    kFunctionCall = 4,   ///< mark of the compiler: a function has been entered
    kFunctionReturn = 8  ///< mark: one has been left
  };
  enum Control : std::uint8_t {
    kBranch = 1,
    kDirectBranch = 2,
    kCall = 4,
    kDirectCall = 8,
    kProcedureCall = 16,
    kReturn = 32,
    kFallThrough = 64  ///< it may go on at the next instruction
  };

  std::uint64_t pc = 0;
  std::uint64_t depth = 0;     ///< bytes of stack in use before it executes
  std::uint64_t operands = 0;  ///< digest of all registers read; equal contents have equal digests
  std::uint32_t priority = 0;  ///< of its block (thread frontiers)
  std::uint32_t nesting = 0;   ///< nesting-depth register ([Resync] §3.2.2)
  const PostDominatorMarks* marks = nullptr;  ///< null: none; as long as its source lives
  std::uint8_t flags = 0;
  std::uint8_t control = kFallThrough;
  std::uint8_t addresses = 0;       ///< valid ones of `address`
  std::uint8_t register_bytes = 0;  ///< read; 0: it reads no register
  std::array<std::uint64_t, kMaxAddresses> address{};

  [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }
  [[nodiscard]] bool is(Control kind) const { return (control & kind) != 0; }
  /// The next instruction of the thread begins a block that hardware can detect ([Resync] §3.1.4).
  [[nodiscard]] bool ends_block() const {
    return (control & (kBranch | kCall | kReturn)) != 0 || (control & kFallThrough) == 0;
  }
};

/// The traces of threads that run together. A stream: memory does not grow with the length.
class TraceSet {
 public:
  virtual ~TraceSet() = default;
  /// 1 .. kMaxThreads
  [[nodiscard]] virtual unsigned threads() const = 0;
  /// The thread's next records; fewer than there is room for only at its end. Marks they point to live as long as this.
  virtual std::size_t read(unsigned thread, std::span<TraceRecord> records) = 0;
  /// From the beginning again.
  virtual void rewind() = 0;
  /// Records in all; 0: not known. For progress only.
  [[nodiscard]] virtual std::uint64_t size_hint() const { return 0; }
};

}  // namespace heddle::resync
