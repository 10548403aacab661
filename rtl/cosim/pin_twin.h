// A twin of a block whose requests are one request each on the RTL's pins. Of a block with a cost the clocks that it has taken are part of its
// answer.
#pragma once

#include <utility>

#include "cosim/pin_driver.h"
#include "sim/twins.h"

namespace heddle::cosim {

/// `Pins` has the mapping, also used by the block's bench:
///   using Request
///   template <class V> void drive(V& pins, const Request& request)    // static, or not, if the block has
///   template <class V> void answer(const V& pins, Request& request)   // configuration pins
///   static const char* operation(const Request& request)   // its name on the pins
///   void inspected(Request& request)   // optional: adds to the answer of inspect() what the RTL does not
///   keep
template <class V, class Pins>
class PinTwin final : public sim::Twin<typename Pins::Request> {
 public:
  using Request = typename Pins::Request;
  explicit PinTwin(sim::TwinUse& use, Pins map = {}) : map_(std::move(map)), driver_(use), use_(use) {}

  void serve(Request& request) override {
    use_.ask(Pins::operation(request));
    const unsigned clocks = exchange(request);
    if constexpr (requires { request.clocks; }) request.clocks = clocks;
    use_.count(clocks);
  }
  void inspect(Request& request) override {
    exchange(request);
    if constexpr (requires { map_.inspected(request); }) map_.inspected(request);
  }

 private:
  unsigned exchange(Request& request) {
    map_.drive(driver_.pins(), request);
    const unsigned clocks = driver_.transact();
    map_.answer(driver_.pins(), request);
    return clocks;
  }
  Pins map_;
  PinDriver<V> driver_;
  sim::TwinUse& use_;
};

}  // namespace heddle::cosim
