// Runs a block's model and its RTL side by side, cycle by cycle, with random stalls on request and response.
// In every cycle req_ready, rsp_valid and the response must match the model and the block's documented
// latency.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "cosim/pin_driver.h"
#include "sim/twin_difference.h"

namespace heddle::cosim {

/// Folder for waveforms, from HEDDLE_WAVES; none if it is not set.
inline sim::WaveWindow waves_file(const std::string& name) {
  const char* folder = std::getenv("HEDDLE_WAVES");
  return {folder == nullptr ? std::string{} : std::string(folder) + "/" + name + ".fst"};
}

/// Rates, of 256 cycles, at which a request is withheld and a response is not accepted.
struct StallRates {
  unsigned request = 0;
  unsigned response = 0;
  friend void PrintTo(const StallRates& rates, std::ostream* out) {
    *out << rates.request << " and " << rates.response << " of 256";
  }
};

/// The rates that benches run with, as test parameters.
inline auto stall_rates() {
  return ::testing::Values(StallRates{0, 0}, StallRates{128, 0}, StallRates{0, 128}, StallRates{100, 200});
}
inline std::string name_stalls(const ::testing::TestParamInfo<StallRates>& rates) {
  return "Request" + std::to_string(rates.param.request) + "Response" + std::to_string(rates.param.response);
}
/// For directed tests, which drive the block's socket regardless of its implementation.
inline auto every_implementation() {
  return ::testing::Values(sim::Implementation::kModel, sim::Implementation::kRtl,
                           sim::Implementation::kBoth);
}
inline std::string name_implementation(const ::testing::TestParamInfo<sim::Implementation>& impl) {
  static constexpr const char* kNames[] = {"Model", "Rtl", "Both"};
  return kNames[static_cast<unsigned>(impl.param)];
}

/// `Pins` as for PinTwin, and
/// `Model` has cost(request): clocks from its acceptance to the response, which the bench counts itself.
/// answer() is called in every cycle in which the response is on the pins.
/// `Block` as for sim::Twinned.
template <class V, class Pins, class Block>
class LockstepBench {
 public:
  using Request = typename Block::Request;
  using Model = typename Block::Model;
  /// The next request, to be served by the model in its current state.
  using Generator = std::function<Request(const Model&, std::mt19937&)>;

  LockstepBench(Model model, const std::string& name, std::uint32_t seed, Pins map = {})
      : driver_(waves_file(name)), map_(std::move(map)), model_(std::move(model)), random_(seed) {}

  [[nodiscard]] Model& model() { return model_; }
  [[nodiscard]] std::uint64_t clock() const { return clock_; }

  /// Runs until `count` requests have been answered or a mismatch has been reported as a test failure.
  void run(std::uint64_t count, StallRates stalls, const Generator& generate) {
    for (std::uint64_t answered = 0; answered < count && !::testing::Test::HasFailure();) {
      if (!offered_ && !chance(stalls.request)) offered_ = generate(model_, random_);
      V& pins = driver_.pins();
      pins.req_valid_i = offered_.has_value();
      if (offered_) map_.drive(pins, *offered_);
      const bool taken = !chance(stalls.response);
      pins.rsp_ready_i = taken;
      driver_.settle();
      const bool ready = busy_ == 0 && (!answer_ || taken);
      ASSERT_EQ(pins.req_ready_o != 0, ready) << "req_ready_o at clock " << clock_;
      if (answer_ && taken) answer_.reset(), ++answered;
      if (offered_ && ready) accept();
      driver_.edge();
      ++clock_;
      if (busy_ != 0 && --busy_ == 0) answer_ = std::move(served_);
      if (check(); differs_) return;
    }
  }

 private:
  bool chance(unsigned of_256) { return random_() % 256 < of_256; }
  void accept() {
    asked_ = *offered_;
    busy_ = model_.cost(*offered_);
    model_.serve(*offered_);
    served_ = std::move(offered_);
    offered_.reset();
  }
  void check() {
    differs_ = true;  // stays true if an assertion below fails and returns
    const V& pins = driver_.pins();
    ASSERT_EQ(pins.rsp_valid_o != 0, answer_.has_value())
        << "rsp_valid_o at clock " << clock_ << ", last request " << Block::show_request(asked_).dump();
    differs_ = answer_.has_value();
    if (!answer_) return;
    Request other = asked_;
    other.clocks = answer_->clocks;
    map_.answer(pins, other);
    const auto expected = Block::answer_of(*answer_);
    const auto got = Block::answer_of(other);
    ASSERT_TRUE(expected == got) << "clock " << clock_ << "\n  request " << Block::show_request(asked_).dump()
                                 << "\n  model   " << Block::show_answer(expected).dump() << "\n  RTL     "
                                 << Block::show_answer(got).dump();
    differs_ = false;
  }

  PinDriver<V> driver_;
  Pins map_;
  Model model_;
  std::mt19937 random_;
  std::optional<Request> offered_;  ///< on the pins, not accepted yet
  Request asked_{};                 ///< last accepted
  std::optional<Request> served_;   ///< accepted, not answered yet
  std::optional<Request> answer_;   ///< on the response pins
  unsigned busy_ = 0;               ///< cycles until the accepted request is answered
  std::uint64_t clock_ = 0;
  bool differs_ = false;
};

}  // namespace heddle::cosim
