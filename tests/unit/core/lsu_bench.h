// The load/store unit with its caches and shared memory; the test plays the memory.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "core/memory/load_store_unit.h"
#include "core/memory/lsu_interposer.h"
#include "core/memory/table_traffic.h"
#include "isa/atomic.h"

namespace heddle::core {

inline constexpr std::uint64_t kBytes = 1 << 16;
inline constexpr unsigned kBenchWarps = 8;

/// Load/store unit, L1, constant cache, shared memory; the test plays memory port and register file.
class LsuBench : public sc_core::sc_module {
 public:
  /// `interposer`: nullptr, or the unit between the test and the load/store unit.
  LsuBench(const sc_core::sc_module_name& name, const CoreConfig& core_config,
           LsuInterposer* interposer = nullptr)
      : sc_module(name),
        config(core_config),
        l1d("l1d", config.resolved_l1d(), progress, stats.child("l1d", "")),
        constant_cache("constant_cache", config.constant_cache, base::CoreId{0}, pool, progress,
                       stats.child("constant_cache", "")),
        shared("shared", config.shared_memory, progress, 0, stats.child("shared", "")),
        lsu("lsu", config, base::CoreId{0}, pool, allocations, stats.child("lsu", "")),
        tables("tables", 48, stats.child("tables", "")) {
    if (interposer != nullptr) {
      lsu_isock.bind(interposer->lsu_tsock);
      interposer->bind_unit(lsu);
      interposer->completion_isock.bind(completion_tsock);
      interposer->wake_isock.bind(wake_tsock);
    } else {
      lsu_isock.bind(lsu.lsu_tsock);
      lsu.completion_isock.bind(completion_tsock);
      lsu.wake_isock.bind(wake_tsock);
    }
    tables.bind(lsu.add_client("tables"));
    tables.moved_isock.bind(moved_tsock);
    table_isock.bind(tables.table_memory_tsock);
    table_control_isock.bind(tables.control_tsock);
    lsu.register_isock.bind(register_tsock);
    lsu.port_isock.bind(data_port_tsock);
    lsu.l1d_isock.bind(l1d.l1d_tsock);
    lsu.shared_isock.bind(shared.shared_tsock);
    lsu.constant_isock.bind(constant_cache.constant_tsock);
    constant_cache.value_isock.bind(lsu.constant_value_tsock);
    constant_cache.port_isock.bind(constant_port_tsock);
    data_isock.bind(lsu.response_tsock);
    constant_isock.bind(constant_cache.response_tsock);
    operand_isock.bind(constant_cache.immediate_tsock);
    base = allocations.allocate(kBytes, 256, "all");
    kernel = std::make_shared<isa::Kernel>();
    launch.kernel = kernel;
    launch.params.resize(256);
    launch.param_base = base;
    launch.shared_bytes_per_cta = 48 * 1024;
    launch.local_base = base + 0x8000;
    launch.local_bytes_per_thread = 64;
    launch.local_limit = 64;
  }
  ~LsuBench() override {
    for (auto* transaction : sent) transaction->release();
  }

  void serve_port(PortRequest& request) {
    if (request.op == PortRequest::Op::kRoom) asked.insert(request.client);
    if (request.op == PortRequest::Op::kSend) {
      EXPECT_TRUE(room) << "sent without asking";
      EXPECT_TRUE(asked.count(request.client)) << "another client has asked: that one's turn is taken";
      request.transaction->extension.client = static_cast<std::uint8_t>(request.client);
      sent.push_back(request.transaction);
    }
    request.room = room;
  }
  void take_completion(LsuCompletion& done) {
    EXPECT_EQ(done.client, LsuClient::kCore);
    if (done.kind != LsuCompletion::Kind::kFinished) return;
    finished.push_back(cycle);
    if (on_finish) on_finish(done);
  }
  void take_wake(LsuWake& wake) {
    woken = wake;
    full = wake.full;
  }
  void take_moved(TableMoved& moved) {
    if (moved.filled != nullptr) filled.push_back(*moved.filled);
  }

  void serve_registers(RegisterFileRequest& request) {
    request.late = registers_late;
    registers_late = 0;
  }

  /// The rows of warp `w`.
  MemorySlice slice(unsigned w, LaneMask lanes) {
    WarpContext& warp = warps[w];
    return {WarpId{w},           lanes, warp.registers.data(), warp.registers.data(),
            warp.special.data(), &warp, warp.linear_warp};
  }
  /// Issues to warp `w`; %r[lane] at row 0 is the 64-bit address, row 256 the data (32-bit).
  LsuRequest issue(const isa::Instruction& instruction, unsigned w, LaneMask mask = LaneMask::all()) {
    const MemorySlice home = slice(w, mask);
    return issue(instruction, {&home, 1});
  }
  LsuRequest issue(const isa::Instruction& instruction, std::span<const MemorySlice> slices) {
    LsuRequest request;
    request.op = LsuRequest::Op::kIssue;
    request.cycle = cycle;
    request.instruction = &instruction;
    request.slices = slices;
    request.cta = &cta;
    EXPECT_FALSE(full);
    lsu_isock.call(request);
    full = request.full;
    return request;
  }
  void begin_launch() {
    LsuRequest request;
    request.op = LsuRequest::Op::kBeginLaunch;
    request.launch = &launch;
    lsu_isock.call(request);
  }
  LsuInspection ask(LsuInspection question) {
    LsuRequest request;
    request.look = &question;
    lsu_isock.inspect(request);
    return question;
  }
  /// The next cycle.
  LsuRequest tick() {
    ++cycle;
    LsuRequest request;
    request.cycle = cycle;
    lsu_isock.call(request);
    full = request.full;
    return request;
  }
  /// Answers the oldest request of the port: reads deliver bytes of value `value`.
  void respond(unsigned char value) {
    ASSERT_FALSE(sent.empty());
    sim::MemoryTransaction* transaction = sent.front();
    sent.pop_front();
    if (transaction->extension.op == sim::MemoryOp::kRead)
      std::memset(transaction->data.data(), value, sim::kMaxLineBytes);
    PortResponse response{transaction, cycle + 1};
    (transaction->extension.client == static_cast<std::uint8_t>(PortClient::kData) ? data_isock
                                                                                   : constant_isock)
        .call(response);
    transaction->release();
  }

  /// Answers the oldest request of the port from `memory`, which starts at address `base`.
  void serve_memory() {
    ASSERT_FALSE(sent.empty());
    sim::MemoryTransaction* transaction = sent.front();
    sent.pop_front();
    sim::MemoryExtension& extension = transaction->extension;
    unsigned char* const line = memory.data() + (transaction->get_address() - base);
    switch (extension.op) {
      case sim::MemoryOp::kRead:
        std::memcpy(transaction->data.data(), line, transaction->get_data_length());
        break;
      case sim::MemoryOp::kWrite:
        for (unsigned i = 0; i < transaction->get_data_length(); ++i)
          if (transaction->enables[i] != 0) line[i] = transaction->data[i];
        break;
      case sim::MemoryOp::kAtomic:
        for (unsigned i = 0; i < extension.atomic_count; ++i) {
          sim::LaneAtomic& lane = extension.atomics[i];
          const unsigned size = isa::type_bytes(extension.atomic_type);
          lane.old = 0;
          std::memcpy(&lane.old, line + lane.offset, size);
          const std::uint64_t value = isa::apply_atomic(extension.atomic_op, extension.atomic_type, lane.old,
                                                        lane.operand, lane.compare, /*in_global=*/false);
          std::memcpy(line + lane.offset, &value, size);
        }
        break;
      case sim::MemoryOp::kMessage:
        ADD_FAILURE() << "the load/store unit sends no messages";
        break;
    }
    PortResponse response{transaction, cycle + 1};
    (extension.client == static_cast<std::uint8_t>(PortClient::kData) ? data_isock : constant_isock)
        .call(response);
    transaction->release();
  }

  CoreConfig config;
  base::StatGroup stats{"bench", ""};
  sim::ProgressMonitor progress;
  sim::MemoryPool pool;
  host::AllocationTable allocations;
  std::shared_ptr<isa::Kernel> kernel;
  LaunchContext launch;
  CtaContext cta;
  std::array<WarpContext, kBenchWarps> warps;
  std::vector<unsigned char> memory = std::vector<unsigned char>(kBytes);
  std::uint64_t base = 0;
  Cycle cycle = 100;
  bool full = false;
  bool room = true;
  std::set<PortClient> asked;  ///< for room, since the start
  Cycle registers_late = 0;    ///< next write-back
  std::deque<sim::MemoryTransaction*> sent;
  std::vector<Cycle> finished;
  std::function<void(const LsuCompletion&)> on_finish;
  LsuWake woken;

  L1DataCache l1d;
  ConstantCache constant_cache;
  SharedMemory shared;
  LoadStoreUnit lsu;
  TableTraffic tables;
  std::vector<simt::TableEntryTransfer> filled;
  sim::BlockInitiator<simt::TableMemoryProtocol> table_isock{"table_isock"};
  sim::BlockInitiator<TableTrafficProtocol> table_control_isock{"table_control_isock"};
  sim::BlockInitiator<LsuProtocol> lsu_isock{"lsu_isock"};
  sim::BlockInitiator<PortResponseProtocol> data_isock{"data_isock"};
  sim::BlockInitiator<PortResponseProtocol> constant_isock{"constant_isock"};
  ConstantPort operand_isock{"operand_isock"};
  sim::BlockTarget<PortProtocol, LsuBench, &LsuBench::serve_port> data_port_tsock{"data_port_tsock", this};
  sim::BlockTarget<PortProtocol, LsuBench, &LsuBench::serve_port> constant_port_tsock{"constant_port_tsock",
                                                                                      this};
  sim::BlockTarget<RegisterFileProtocol, LsuBench, &LsuBench::serve_registers> register_tsock{
      "register_tsock", this};
  sim::BlockTarget<LsuCompletionProtocol, LsuBench, &LsuBench::take_completion> completion_tsock{
      "completion_tsock", this};
  sim::BlockTarget<LsuWakeProtocol, LsuBench, &LsuBench::take_wake> wake_tsock{"wake_tsock", this};
  sim::BlockTarget<TableMovedProtocol, LsuBench, &LsuBench::take_moved> moved_tsock{"moved_tsock", this};
};

}  // namespace heddle::core
