// A twin of a block whose requests are one request each on the RTL's pins.
#pragma once

#include <utility>

#include "cosim/pin_driver.h"
#include "sim/twins.h"

namespace heddle::cosim {

/// `Pins` has the mapping, also used by the block's bench:
///   using Request
///   template <class V> static void drive(V& pins, const Request& request)
///   template <class V> static void answer(const V& pins, Request& request)
template <class V, class Pins>
class PinTwin final : public sim::Twin<typename Pins::Request> {
 public:
  using Request = typename Pins::Request;
  explicit PinTwin(sim::TwinUse& use) : use_(use) {}

  void serve(Request& request) override { use_.count(exchange(request)); }
  void inspect(Request& request) override { exchange(request); }

 private:
  unsigned exchange(Request& request) {
    Pins::drive(driver_.pins(), request);
    const unsigned clocks = driver_.transact();
    Pins::answer(driver_.pins(), request);
    return clocks;
  }
  PinDriver<V> driver_;
  sim::TwinUse& use_;
};

}  // namespace heddle::cosim
