// An L2 slice whose memory answers after a fixed or random time, in any order.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "memory/l2_slice.h"
#include "memory/sparse_memory.h"

namespace heddle::memory {

using sim::MemoryOp;
using sim::MemoryTransaction;

struct L2Rig {
  explicit L2Rig(const L2Config& c, std::uint64_t seed = 1)
      : config(c), slice(c, map, progress), random(seed) {}

  void step(bool take_responses = true) {
    if (auto* p = take_responses ? slice.response(now) : nullptr) {
      slice.pop_response();
      responses.emplace_back(p, now);
      touched_ = true;
    }
    take_arrivals();
    // A shell that sleeps calls tick() only when it may do something.
    if (!sleeps || touched_ || now >= next_tick_) {
      ++ticks;
      const bool any = slice.tick(now);
      next_tick_ = any && slice.has_work() ? now + 1 : slice.atomic_timer();
      touched_ = false;
    }
    if (!dram_stalled() && slice.has_transfer()) send();
    ++now;
  }
  void run_until_idle() {
    for (int i = 0; i < 100'000 && !(slice.idle() && in_flight.empty()); ++i) step();
    EXPECT_TRUE(slice.idle());
  }
  void accept(MemoryTransaction& t) {
    slice.accept(slice.decode(t, now));
    touched_ = true;
  }
  /// Accepts and runs until its response; returns the cycle of the response.
  base::Cycle complete(MemoryTransaction& t) {
    accept(t);
    const std::size_t before = responses.size();
    while (responses.size() == before && now < 100'000) step();
    EXPECT_EQ(responses.back().first, &t);
    return responses.back().second;
  }

  MemoryTransaction& make(MemoryOp op, std::uint64_t address, unsigned bytes = 128) {
    return pool.allocate(op, address, bytes);
  }
  MemoryTransaction& make_read(std::uint64_t address, SectorMask wanted) {
    MemoryTransaction& t = make(MemoryOp::kRead, address);
    t.extension.wanted_sectors = wanted;
    return t;
  }
  MemoryTransaction& make_write(std::uint64_t address, unsigned first, unsigned count, unsigned char value) {
    MemoryTransaction& t = make(MemoryOp::kWrite, address);
    std::memset(t.enables.data() + first, 0xff, count);
    std::memset(t.data.data() + first, value, count);
    return t;
  }
  /// Adds 1 per lane; lane i at offsets[i mod size].
  MemoryTransaction& make_add(std::uint64_t address, unsigned lanes,
                              const std::vector<unsigned>& offsets = {0}) {
    MemoryTransaction& t = make(MemoryOp::kAtomic, address);
    t.extension.atomic_count = static_cast<std::uint8_t>(lanes);
    for (unsigned i = 0; i < lanes; ++i)
      t.extension.atomics[i] = {.lane = static_cast<std::uint8_t>(i),
                                .offset = static_cast<std::uint8_t>(offsets[i % offsets.size()]),
                                .operand = 1};
    return t;
  }
  [[nodiscard]] bool can_accept(MemoryTransaction& t) const { return slice.can_accept(slice.decode(t, now)); }
  [[nodiscard]] std::uint64_t stalls(L2Stall cause) const {
    return slice.counters().stall_cycles[static_cast<unsigned>(cause)];
  }

  struct InFlight {
    SectorTransfer transfer;
    std::array<unsigned char, sim::kMaxLineBytes> data;
    base::Cycle done;
    std::array<unsigned char, sim::kMaxLineBytes> enables{};  ///< of a write
  };
  L2Config config;
  AddressMap map{1, 256};
  sim::ProgressMonitor progress;
  L2Slice slice;
  sim::MemoryPool pool;
  SparseMemory dram;
  std::mt19937_64 random;
  bool random_dram = false;
  bool dram_blocked = false;  ///< accepts nothing
  bool sleeps = false;        ///< calls tick() only when the slice requires it
  base::Cycle dram_latency = 50;
  base::Cycle now = 0;
  std::uint64_t ticks = 0;
  std::vector<InFlight> in_flight;
  std::vector<InFlight> transfers;  ///< all so far
  std::vector<std::pair<tlm::tlm_generic_payload*, base::Cycle>> responses;

 private:
  bool dram_stalled() { return dram_blocked || (random_dram && random() % 4 == 0); }

  void take_arrivals() {
    for (std::size_t i = 0; i < in_flight.size();) {
      if (in_flight[i].done > now) {
        ++i;
        continue;
      }
      InFlight done = in_flight[i];
      in_flight.erase(in_flight.begin() + static_cast<std::ptrdiff_t>(i));
      touched_ = true;
      if (done.transfer.write) {
        dram.write_enabled(done.transfer.address, done.data.data(), done.transfer.bytes, done.enables.data(),
                           done.transfer.bytes);
        slice.write_done(done.transfer.address);
      } else {
        if (done.transfer.data == nullptr) done.transfer.data = done.data.data();
        dram.read(done.transfer.address, done.transfer.data, done.transfer.bytes);
        slice.fill(done.transfer);
      }
    }
  }

  void send() {
    InFlight next{slice.transfer(), {}, now + dram_latency + (random_dram ? random() % 60 : 0)};
    const std::uint64_t first = next.transfer.address, last = first + next.transfer.bytes;
    EXPECT_EQ(first / config.line_bytes, (last - 1) / config.line_bytes);
    // The slice's guarantee to a memory that preserves no order.
    for (const InFlight& f : in_flight) {
      const bool same_line = f.transfer.address / config.line_bytes == first / config.line_bytes;
      EXPECT_TRUE(f.transfer.address >= last || first >= f.transfer.address + f.transfer.bytes)
          << "two transfers of one sector at once";
      EXPECT_FALSE(same_line && f.transfer.write && !next.transfer.write) << "a fetch passes a write-back";
    }
    if (next.transfer.write) std::memcpy(next.data.data(), next.transfer.data, next.transfer.bytes);
    next.enables.fill(0xff);
    if (next.transfer.enables != nullptr)
      std::memcpy(next.enables.data(), next.transfer.enables, next.transfer.bytes);
    in_flight.push_back(next);
    transfers.push_back(next);
    slice.pop_transfer(next.transfer);
    touched_ = true;
  }

  bool touched_ = true;
  base::Cycle next_tick_ = 0;
};

}  // namespace heddle::memory
