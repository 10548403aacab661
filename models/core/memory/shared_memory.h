// Shared memory of a core: banks of 32-bit words (bank_conflicts.h). The load/store unit counts the passes of
// an access when it issues and holds the banks as long; values are exchanged in the first pass.
#pragma once

#include <systemc>

#include "base/host_heap.h"
#include "base/stats.h"
#include "core/config.h"
#include "core/memory/memory_instruction.h"
#include "core/protocols/protocol_of.h"
#include "sim/block_socket.h"
#include "sim/progress.h"

namespace heddle::core {

struct SharedMemoryRequest {
  enum class Op : std::uint8_t {
    kAccess,  ///< serve the shared lanes of `memory_op`: loads and old values of atomics into its slices'
              ///< registers, stores from its data, atomics in lane order
    kClear,   ///< zero [offset, offset+bytes): a CTA is launched there
  };
  Op op = Op::kAccess;
  MemoryInstruction* memory_op = nullptr;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;

  std::byte value{};  ///< transport_dbg: the byte at `offset`; nothing changes
};
using SharedMemoryProtocol = ProtocolOf<SharedMemoryRequest>;

class SharedMemoryPort : public sim::BlockInitiator<SharedMemoryProtocol> {
 public:
  using BlockInitiator::BlockInitiator;
  using Op = SharedMemoryRequest::Op;

  void access(MemoryInstruction& op) { call({.op = Op::kAccess, .memory_op = &op}); }
  void clear(std::uint32_t offset, std::uint32_t bytes) {
    call({.op = Op::kClear, .offset = offset, .bytes = bytes});
  }
  /// Nothing changes.
  [[nodiscard]] std::byte byte_at(std::uint32_t offset) { return inspect({.offset = offset}).value; }
};

class SharedMemoryModel {
 public:
  /// `core`: whose memory it is, for the watchdog.
  SharedMemoryModel(const SharedMemoryConfig& config, sim::ProgressMonitor& progress, std::uint32_t core = 0);
  void serve(SharedMemoryRequest& request);
  /// `offset` is within the memory.
  [[nodiscard]] std::byte byte_at(std::uint32_t offset) const {
    return static_cast<std::byte>(bytes_[offset]);
  }

  std::uint64_t accesses = 0, conflict_passes = 0, wide_passes = 0, words = 0;

 private:
  void store(const MemoryInstruction& op, const LaneOffsets& offsets);
  void atomic(MemoryInstruction& op);
  /// An atomic that tests the phase of mbarriers (isa/mbarrier.h).
  void test_phases(const MemoryInstruction& op) const;
  void load_matrices(const MemoryInstruction& op) const;

  /// Replaces the bytes at an offset, and reports it if they differ.
  void replace(std::size_t offset, const unsigned char* from, std::size_t bytes);

  sim::ProgressMonitor& progress_;
  std::uint32_t core_;
  base::ZeroedBlock bytes_;
};

class SharedMemory : public sc_core::sc_module {
 public:
  SharedMemory(const sc_core::sc_module_name& name, const SharedMemoryConfig& config,
               sim::ProgressMonitor& progress, std::uint32_t core, base::StatGroup& stats);

 private:
  void serve(SharedMemoryRequest& request) { model_.serve(request); }
  void inspect(SharedMemoryRequest& request) const { request.value = model_.byte_at(request.offset); }

 public:
  sim::BlockTarget<SharedMemoryProtocol, SharedMemory, &SharedMemory::serve, &SharedMemory::inspect>
      shared_tsock{"shared_tsock", this};

 private:
  SharedMemoryModel model_;
};

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::SharedMemoryProtocol);
