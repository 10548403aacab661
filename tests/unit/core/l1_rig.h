// An L1 data cache for tests, by itself, and lines to write to it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "core/memory/l1_data_cache.h"

namespace heddle::core::l1d_test {

using Result = L1dRequest::Result;
using Line = std::array<unsigned char, 128>;

inline Line filled(unsigned char value) {
  Line line;
  line.fill(value);
  return line;
}

/// 0xff in [first, first + count).
inline Line enabling(unsigned first, unsigned count) {
  Line line{};
  std::fill_n(line.begin() + first, count, static_cast<unsigned char>(0xff));
  return line;
}

class L1 : public testing::Test {
 protected:
  /// 4 sets of 2 ways, 2 MSHRs with 2 targets: lines 0x200 apart share a set.
  void create(std::uint32_t sector_bytes) {
    const L1dConfig config{.size_kib = 1,
                           .line_bytes = 128,
                           .sector_bytes = sector_bytes,
                           .ways = 2,
                           .mshr_entries = 2,
                           .mshr_targets = 2};
    cache_ = std::make_unique<L1DataCacheModel>(config, progress_);
  }
  void SetUp() override { create(0); }

  Result load(std::uint64_t line, unsigned sectors = 1, bool may_send = true,
              const unsigned char* wanted = nullptr) {
    request_ = {};
    request_.line = line;
    request_.target.sectors = static_cast<sim::SectorMask>(sectors);
    request_.may_send = may_send;
    request_.enables = wanted;
    cache_->serve(request_);
    return request_.result;
  }
  Result store(std::uint64_t line, const Line& data, const Line& enables, bool may_send = true) {
    return write(L1dRequest::Op::kStore, line, data, enables, false, may_send);
  }
  Result write(L1dRequest::Op op, std::uint64_t line, const Line& data, const Line& enables, bool update,
               bool may_send = true) {
    request_ = {};
    request_.op = op;
    request_.line = line;
    request_.data = data.data();
    request_.enables = enables.data();
    request_.update = update;
    request_.may_send = may_send;
    cache_->serve(request_);
    return request_.result;
  }
  void allocating_write(std::uint64_t line, unsigned char value, const Line& enables) {
    const Line data = filled(value);
    request_ = {};
    request_.op = L1dRequest::Op::kPass;
    request_.line = line;
    request_.data = data.data();
    request_.enables = enables.data();
    request_.update = request_.allocate = true;
    cache_->serve(request_);
  }
  void invalidate(std::uint32_t kib) {
    request_ = {};
    request_.op = L1dRequest::Op::kInvalidate;
    request_.kib = kib;
    cache_->serve(request_);
  }
  void evicting_write(std::uint64_t line) {
    write(L1dRequest::Op::kPass, line, filled(0), enabling(0, 128), false);
  }
  void invalidate_global(const std::vector<AddressRange>& own) {
    request_ = {};
    request_.op = L1dRequest::Op::kInvalidateGlobal;
    request_.own = &own;
    cache_->serve(request_);
  }
  std::size_t fill(std::uint32_t mshr, const Line& data) {
    request_ = {};
    request_.op = L1dRequest::Op::kFill;
    request_.mshr = mshr;
    request_.data = data.data();
    cache_->serve(request_);
    return request_.target_count;
  }
  void bring(std::uint64_t line, unsigned char value, unsigned sectors = 1) {
    ASSERT_EQ(load(line, sectors), Result::kMissSend);
    fill(request_.mshr, filled(value));
  }

  /// A load of the line would find that no MSHR is free for it.
  [[nodiscard]] bool no_mshr_for(std::uint64_t line) const {
    L1dRequest look;
    look.op = L1dRequest::Op::kNoPlace;
    look.line = line;
    cache_->inspect(look);
    return look.result == Result::kHit;
  }

  /// The byte at an address that a store wrote and L2 does not have yet; -1: none.
  [[nodiscard]] int unwritten(std::uint64_t address) const {
    L1dRequest look;
    look.op = L1dRequest::Op::kUnwritten;
    look.line = address;
    cache_->inspect(look);
    return look.result == Result::kHit ? *look.line_data : -1;
  }

  sim::ProgressMonitor progress_;
  std::unique_ptr<L1DataCacheModel> cache_;
  L1dRequest request_;
};

}  // namespace heddle::core::l1d_test
