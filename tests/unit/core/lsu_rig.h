// A load/store unit with its caches and shared memory, for tests of it cycle by cycle.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "unit/core/lsu_bench.h"

namespace heddle::core::lsu_test {

class Lsu : public testing::Test {
 protected:
  void SetUp() override {
    change(config_);
    bench_ = std::make_unique<LsuBench>("bench", config_);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    for (WarpContext& warp : bench_->warps) {
      warp.registers.assign(1024, std::byte{0});
      warp.special.assign(isa::kSpecialBlockBytes, std::byte{0});
    }
    bench_->begin_launch();
  }
  virtual void change(CoreConfig& config) { (void)config; }

  static isa::Instruction instruction(isa::Opcode op, isa::StateSpace space) {
    isa::Instruction result;
    result.op = op;
    result.space = space;
    result.type = isa::Type::kU32;
    result.unit = isa::Unit::kMemory;
    result.memory.base.width = isa::RowWidth::k64;
    result.memory.base.present = true;
    isa::Operand value;
    value.offset = 256;
    value.present = true;
    if (op == isa::Opcode::kStore)
      result.src[0] = value;
    else
      result.dst[0] = value, result.write_count = 1;
    return result;
  }
  /// Row 0 of warp `w`: first + lane * stride.
  void address(unsigned w, std::uint64_t first, std::uint64_t stride) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t at = first + lane * stride;
      std::memcpy(bench_->warps[w].registers.data() + lane * std::size_t{8}, &at, 8);
    }
  }
  std::uint32_t value(unsigned w, unsigned lane) const {
    std::uint32_t result;
    std::memcpy(&result, bench_->warps[w].registers.data() + 256 + lane * std::size_t{4}, 4);
    return result;
  }
  std::uint64_t count(const std::string& name) { return bench_->stats.count(name); }

  const isa::Instruction load_ = instruction(isa::Opcode::kLoad, isa::StateSpace::kGlobal);
  const isa::Instruction store_ = instruction(isa::Opcode::kStore, isa::StateSpace::kGlobal);
  const isa::Instruction shared_load_ = instruction(isa::Opcode::kLoad, isa::StateSpace::kShared);
  const isa::Instruction local_load_ = instruction(isa::Opcode::kLoad, isa::StateSpace::kLocal);
  const isa::Instruction local_store_ = instruction(isa::Opcode::kStore, isa::StateSpace::kLocal);
  const isa::Instruction param_load_ = instruction(isa::Opcode::kLoad, isa::StateSpace::kParam);
  CoreConfig config_;
  std::unique_ptr<LsuBench> bench_;
};

}  // namespace heddle::core::lsu_test
