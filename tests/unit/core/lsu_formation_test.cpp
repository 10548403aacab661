// Operations of several home warps: the values of every lane and of memory are compared with a model that
// runs thread by thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "unit/core/lsu_bench.h"

namespace heddle::core::lsu_formation_test {
namespace {

using isa::Opcode;
using isa::StateSpace;

constexpr std::uint32_t kBlockBytes = 4096;
// The register block: an address, four sources, four destinations, rows of 64-bit registers each.
constexpr std::uint32_t kRow = kLanes * 8;
constexpr std::uint32_t kSources = kRow;
constexpr std::uint32_t kDestinations = 5 * kRow;
// Device memory: parameters, then what stores and atomics use, constants, local memory.
constexpr std::uint64_t kGlobal = 0x1000, kGlobalBytes = 0x800, kConstants = 0x7000, kLocal = 0x8000;
constexpr std::uint32_t kLocalBytes = 64, kSharedBytes = 2048, kParamBytes = 256;

isa::Operand row(std::uint32_t offset, unsigned bytes) {
  isa::Operand operand;
  operand.offset = offset;
  operand.width = bytes == 8 ? isa::RowWidth::k64 : isa::RowWidth::k32;
  operand.present = true;
  return operand;
}

class Formations : public testing::Test {
 protected:
  void SetUp() override { create(CoreConfig{}); }
  void create(CoreConfig config) {
    config.l1d.size_kib = 1;  // lines are evicted
    config.l1d.ways = 2;
    bench_ = std::make_unique<LsuBench>("bench", config);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bench_->launch.shared_bytes_per_cta = kSharedBytes;
    bench_->launch.local_bytes_per_thread = kLocalBytes;
    bench_->launch.local_limit = kLocalBytes;
    bench_->launch.params.resize(kParamBytes);
    bench_->cta.shared_base = 4096;
    bench_->cta.id = {7, 0, 0};
    for (unsigned w = 0; w < kBenchWarps; ++w) {
      WarpContext& warp = bench_->warps[w];
      warp.linear_warp = w;
      warp.registers.assign(kBlockBytes, std::byte{0});
      for (std::byte& byte : warp.registers) byte = static_cast<std::byte>(random_());
      warp.special.assign(isa::kSpecialBlockBytes, std::byte{0});
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t thread = w * kLanes + lane;
        std::memcpy(warp.special.data() + isa::special_offset(isa::SpecialRow::kTidX) + lane * 4, &thread, 4);
      }
    }
    for (unsigned char& byte : bench_->memory) byte = static_cast<unsigned char>(random_());
    std::fill_n(shared_.begin(), kSharedBytes, static_cast<unsigned char>(0));
    bench_->begin_launch();
    LsuRequest start;
    start.op = LsuRequest::Op::kStartCta;
    start.cta = &bench_->cta;
    bench_->lsu_isock.call(start);
    model_ = bench_->memory;
  }
  unsigned below(unsigned bound) { return random_() % bound; }

  /// Randomly selected lanes, each of one of `warps` warps.
  std::vector<MemorySlice> formation(unsigned warps) {
    std::array<LaneMask, kBenchWarps> lanes;
    const std::uint32_t present = below(4) == 0 ? 0xffff'ffff : static_cast<std::uint32_t>(random_()) | 1u;
    const unsigned first = below(kBenchWarps);
    LaneMask(present).for_each(
        [&](unsigned lane) { lanes[(first + below(warps)) % kBenchWarps] |= LaneMask(1u << lane); });
    std::vector<MemorySlice> slices;
    for (unsigned w = 0; w < kBenchWarps; ++w)
      if (lanes[w].any()) slices.push_back(bench_->slice(w, lanes[w]));
    std::shuffle(slices.begin(), slices.end(), random_);
    return slices;
  }
  isa::Instruction draw_instruction() {
    isa::Instruction result;
    result.unit = isa::Unit::kMemory;
    result.op = std::array{Opcode::kLoad, Opcode::kStore, Opcode::kAtomic}[below(3)];
    constexpr std::array kSpaces{StateSpace::kGlobal, StateSpace::kShared, StateSpace::kGeneric,
                                 StateSpace::kLocal,  StateSpace::kConst,  StateSpace::kParam};
    const unsigned spaces = result.op == Opcode::kLoad ? 6 : result.op == Opcode::kStore ? 4 : 3;
    result.space = kSpaces[below(spaces)];
    constexpr std::array kTypes{isa::Type::kU32, isa::Type::kU64, isa::Type::kS8, isa::Type::kU16};
    result.type = kTypes[below(result.op == Opcode::kAtomic ? 2 : 4)];
    const unsigned bytes = isa::type_bytes(result.type);
    result.memory.base = row(0, 8);
    if (result.op == Opcode::kAtomic) {
      result.atomic_op = std::array{isa::AtomicOp::kAdd, isa::AtomicOp::kExch, isa::AtomicOp::kCas}[below(3)];
      result.src[0] = row(kSources, bytes);
      if (result.atomic_op == isa::AtomicOp::kCas) result.src[1] = row(kSources + kRow, bytes);
      if (below(3) != 0) result.dst[0] = row(kDestinations, bytes), result.write_count = 1;
      return result;
    }
    constexpr std::array kVectors{1, 2, 4};
    do result.vector = static_cast<std::uint8_t>(kVectors[below(3)]);
    while (result.vector * bytes > kMaxLaneBytes);
    for (unsigned e = 0; e < result.vector; ++e)
      if (result.op == Opcode::kStore)
        result.src[e] = row(kSources + e * kRow, bytes);
      else
        result.dst[e] = row(kDestinations + e * kRow, bytes);
    if (result.op == Opcode::kLoad) result.write_count = result.vector;
    return result;
  }
  /// An address of a lane as its register holds it.
  std::uint64_t draw_address(StateSpace space, unsigned bytes, unsigned pattern, unsigned lane,
                             std::uint64_t seed) {
    const auto within = [&](std::uint64_t size) {
      const std::uint64_t slots = size / bytes;
      const std::uint64_t slot = pattern == 0 ? seed : pattern == 1 ? seed + lane : random_();
      return slot % slots * bytes;
    };
    switch (space) {
      case StateSpace::kShared:
        return within(kSharedBytes);
      case StateSpace::kLocal:
        return within(kLocalBytes);
      case StateSpace::kParam:
        return within(kParamBytes);
      case StateSpace::kConst:
        return bench_->base + kConstants + within(512);
      case StateSpace::kGeneric:
        switch (pattern == 2 ? below(3) : seed % 3) {
          case 0:
            return isa::kSharedWindowBase + within(kSharedBytes);
          case 1:
            return isa::kLocalWindowBase + within(kLocalBytes);
          default:
            break;
        }
        [[fallthrough]];
      default:
        return bench_->base + kGlobal + within(kGlobalBytes);
    }
  }
  /// Byte `i` of what a lane of a warp accesses at `address`.
  unsigned char& byte_of(StateSpace space, std::uint64_t address, std::uint64_t i, unsigned warp,
                         unsigned lane) {
    std::uint64_t at = address + i;
    if (space == StateSpace::kGeneric) {
      space = StateSpace::kGlobal;
      if (at - isa::kSharedWindowBase < isa::kSharedWindowBytes) {
        space = StateSpace::kShared;
        at -= isa::kSharedWindowBase;
      } else if (at - isa::kLocalWindowBase < isa::kLocalWindowBytes) {
        space = StateSpace::kLocal;
        at -= isa::kLocalWindowBase;
      }
    }
    if (space == StateSpace::kShared) return shared_[at];
    if (space == StateSpace::kLocal) return local_[warp][lane][at];
    return model_[at - (space == StateSpace::kParam ? 0 : bench_->base)];
  }
  /// Lane after lane on the model's memory; `rows`: its register blocks.
  void run(const isa::Instruction& op, const std::vector<MemorySlice>& slices,
           std::array<isa::RowBytes, kBenchWarps>& rows) {
    const unsigned bytes = isa::type_bytes(op.type);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (const MemorySlice& slice : slices) {
        if (!slice.lanes.test(lane)) continue;
        const unsigned w = slice.warp.value();
        isa::RowBytes& block = rows[w];
        const auto read = [&](const isa::Operand& operand) {
          std::uint64_t value = 0;
          const unsigned size = operand.width == isa::RowWidth::k64 ? 8 : 4;
          std::memcpy(&value, block.data() + operand.offset + lane * size, size);
          return value;
        };
        const auto write = [&](const isa::Operand& operand, std::uint64_t value) {
          if (op.type == isa::Type::kS8) value = static_cast<std::uint64_t>(static_cast<std::int8_t>(value));
          const unsigned size = operand.width == isa::RowWidth::k64 ? 8 : 4;
          std::memcpy(block.data() + operand.offset + lane * size, &value, size);
        };
        const std::uint64_t address = read(op.memory.base);
        for (unsigned e = 0; e < op.vector; ++e) {
          std::uint64_t old = 0;
          for (unsigned i = 0; i < bytes; ++i)
            old |= std::uint64_t{byte_of(op.space, address, e * bytes + i, w, lane)} << 8 * i;
          std::uint64_t value = op.op == Opcode::kStore ? read(op.src[e]) : old;
          if (op.op == Opcode::kAtomic) {
            const std::uint64_t operand = read(op.src[0]);
            if (op.atomic_op == isa::AtomicOp::kAdd) value = old + operand;
            if (op.atomic_op == isa::AtomicOp::kExch) value = operand;
            if (op.atomic_op == isa::AtomicOp::kCas && old == operand) value = read(op.src[1]);
          }
          if (op.op != Opcode::kLoad)
            for (unsigned i = 0; i < bytes; ++i)
              byte_of(op.space, address, e * bytes + i, w, lane) = static_cast<unsigned char>(value >> 8 * i);
          if (op.dst[e].present) write(op.dst[e], old);
        }
      }
  }
  void drain() {
    for (unsigned i = 0; i < 400; ++i) {
      bench_->tick();
      if (!bench_->sent.empty() && below(2) == 0) bench_->serve_memory();
    }
  }
  void random_traffic(unsigned warps, unsigned trials) {
    unsigned several = 0;
    for (unsigned trial = 0; trial < trials; ++trial) {
      const isa::Instruction op = draw_instruction();
      const std::vector<MemorySlice> slices = formation(warps);
      several += slices.size() > 1 ? 1 : 0;
      const unsigned unit = isa::type_bytes(op.type) * op.vector;
      const unsigned pattern = below(3);
      // Atomics to local memory do not exist.
      const bool atomic = op.op == Opcode::kAtomic && op.space == StateSpace::kGeneric;
      const std::uint64_t seed = random_() >> 8;
      for (const MemorySlice& slice : slices)
        slice.lanes.for_each([&](unsigned lane) {
          std::uint64_t address = 0;
          do address = draw_address(op.space, unit, atomic ? 2 : pattern, lane, seed);
          while (atomic && address - isa::kLocalWindowBase < isa::kLocalWindowBytes);
          std::memcpy(slice.registers + lane * 8, &address, 8);
          for (unsigned e = 0; e < 2 && op.op == Opcode::kAtomic && below(2) == 0; ++e)
            std::memset(slice.registers + kSources + e * kRow + lane * 4, 0, 4);  // some compares succeed
        });
      std::array<isa::RowBytes, kBenchWarps> expected;
      for (unsigned w = 0; w < kBenchWarps; ++w) expected[w] = bench_->warps[w].registers;
      run(op, slices, expected);
      unsigned completions = 0;
      bench_->on_finish = [&](const LsuCompletion& done) {
        ++completions;
        ASSERT_EQ(done.slices.size(), slices.size());
        for (std::size_t s = 0; s < slices.size(); ++s) {
          EXPECT_EQ(done.slices[s].warp, slices[s].warp);
          EXPECT_EQ(done.slices[s].lanes, slices[s].lanes);
        }
      };
      std::vector<MemoryCounters> before;  // writes of evicted lines may be in flight
      for (const MemorySlice& slice : slices) before.push_back(*slice.counters);
      bench_->issue(op, slices);
      for (std::size_t s = 0; s < slices.size(); ++s) {
        EXPECT_EQ(slices[s].counters->memory_outstanding, before[s].memory_outstanding + 1);
        EXPECT_EQ(slices[s].counters->fills_outstanding, op.write_count != 0 ? 1u : 0u);
      }
      for (unsigned i = 0; i < 2000 && completions == 0; ++i) {
        bench_->tick();
        if (!bench_->sent.empty() && below(2) == 0) bench_->serve_memory();
      }
      ASSERT_EQ(completions, 1u) << trial;
      for (unsigned w = 0; w < kBenchWarps; ++w)
        ASSERT_TRUE(bench_->warps[w].registers == expected[w])
            << "trial " << trial << " warp " << w << " of " << slices.size() << " slices, op "
            << static_cast<int>(op.op) << " space " << static_cast<int>(op.space) << " bytes " << unit;
    }
    drain();
    for (const WarpContext& warp : bench_->warps) {
      EXPECT_EQ(warp.memory_outstanding, 0u);
      EXPECT_EQ(warp.order_outstanding, 0u);
      EXPECT_EQ(warp.fills_outstanding, 0u);
    }
    EXPECT_EQ(several != 0, warps != 1);
    EXPECT_TRUE(std::equal(model_.begin() + kGlobal, model_.begin() + kGlobal + kGlobalBytes,
                           bench_->memory.begin() + kGlobal));
  }

  std::mt19937 random_{42};
  std::unique_ptr<LsuBench> bench_;
  std::vector<unsigned char> model_;
  std::array<unsigned char, kSharedBytes> shared_{};
  unsigned char local_[kBenchWarps][kLanes][kLocalBytes]{};
};

class FormationsOfSomeWarps : public Formations, public testing::WithParamInterface<unsigned> {
 protected:
  void SetUp() override {
    Formations::SetUp();
    // Local memory initially has memory's contents.
    for (unsigned w = 0; w < kBenchWarps; ++w)
      for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned i = 0; i < kLocalBytes; ++i)
          local_[w][lane][i] =
              bench_->memory[kLocal + w * kLocalBytes * kLanes + i / 4 * 128 + lane * 4 + i % 4];
  }
};

TEST_P(FormationsOfSomeWarps, EveryLaneGetsWhatItsThreadWouldGet) { random_traffic(GetParam(), 1500); }
INSTANTIATE_TEST_SUITE_P(Warps, FormationsOfSomeWarps, testing::Values(1u, 2u, 3u, 8u));

TEST_F(Formations, LanesOfDifferentWarpsShareALine) {
  isa::Instruction load;
  load.op = Opcode::kLoad;
  load.space = StateSpace::kGlobal;
  load.type = isa::Type::kU32;
  load.memory.base = row(0, 8);
  load.dst[0] = row(kDestinations, 4);
  load.write_count = 1;
  const std::array slices{bench_->slice(2, LaneMask(0x5555'5555)), bench_->slice(5, LaneMask(0xaaaa'aaaa))};
  for (const MemorySlice& slice : slices)
    for (std::uint64_t lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t address = bench_->base + kGlobal + lane * 4;
      std::memcpy(slice.registers + lane * 8, &address, 8);
    }
  EXPECT_EQ(bench_->issue(load, slices).transactions, 1u);
  std::vector<PendingLoad> pending;
  (void)bench_->ask({.ask = LsuInspection::Ask::kPendingLoads, .warp = WarpId{5}, .pending = &pending});
  ASSERT_EQ(pending.size(), 1u);
  EXPECT_EQ(pending[0].lanes, slices[1].lanes);
}

TEST_F(Formations, MessagesNameTheLanesOwnThread) {
  isa::Instruction load;
  load.op = Opcode::kLoad;
  load.space = StateSpace::kShared;
  load.type = isa::Type::kU32;
  load.memory.base = row(0, 8);
  load.dst[0] = row(kDestinations, 4);
  load.write_count = 1;
  auto kernel = std::make_shared<isa::Kernel>();
  kernel->code.resize(1);
  bench_->launch.kernel = kernel;
  const std::array slices{bench_->slice(1, LaneMask(0x0000'00ff)), bench_->slice(6, LaneMask(0x0000'ff00))};
  for (const MemorySlice& slice : slices) std::memset(slice.registers, 0, kRow);
  const std::uint64_t outside = kSharedBytes;
  std::memcpy(slices[1].registers + 12 * 8, &outside, 8);
  try {
    bench_->issue(load, slices);
    FAIL() << "no fault";
  } catch (const base::KernelFault& fault) {
    EXPECT_NE(fault.message().find("thread (204,0,0) of CTA (7,0,0)"), std::string::npos) << fault.message();
  }
}

}  // namespace
}  // namespace heddle::core::lsu_formation_test
