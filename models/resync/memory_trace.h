// Traces that are in memory.
#pragma once

#include <algorithm>
#include <vector>

#include "resync/trace.h"

namespace heddle::resync {

class MemoryTraces final : public TraceSet {
 public:
  /// Marks that the records point to must outlive this.
  explicit MemoryTraces(std::vector<std::vector<TraceRecord>> traces)
      : traces_(std::move(traces)), next_(traces_.size(), 0) {}
  [[nodiscard]] unsigned threads() const override { return static_cast<unsigned>(traces_.size()); }
  std::size_t read(unsigned thread, std::span<TraceRecord> records) override {
    const auto& trace = traces_[thread];
    const std::size_t n = std::min(records.size(), trace.size() - next_[thread]);
    std::copy_n(trace.begin() + static_cast<std::ptrdiff_t>(next_[thread]), n, records.begin());
    next_[thread] += n;
    return n;
  }
  void rewind() override { std::fill(next_.begin(), next_.end(), 0); }
  [[nodiscard]] std::uint64_t size_hint() const override {
    std::uint64_t sum = 0;
    for (const auto& trace : traces_) sum += trace.size();
    return sum;
  }
  [[nodiscard]] const std::vector<std::vector<TraceRecord>>& traces() const { return traces_; }

 private:
  std::vector<std::vector<TraceRecord>> traces_;
  std::vector<std::size_t> next_;
};

}  // namespace heddle::resync
