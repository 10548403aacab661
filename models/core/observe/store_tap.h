// Tells the GPU's StoreWatch (sim/store_watch.h) which stores and atomics a core issues to the watched word. An extension
// that --deterministic-check adds to the cores of the runs that it explains.
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>
#include <vector>

#include "core/core_extension.h"
#include "sim/block_socket.h"
#include "sim/store_watch.h"

namespace heddle::core {

[[nodiscard]] CoreExtensionFactory store_taps();

class StoreTap : public sc_core::sc_module, public CoreExtension {
 public:
  StoreTap(const sc_core::sc_module_name& name, const CoreExtensionSite& site);
  [[nodiscard]] std::vector<TapTarget*> taps() override { return {&tap_tsock}; }

 private:
  void tap(IssueTapRequest& request);
  /// What the lane stores to the word at `address`; none: not known.
  [[nodiscard]] std::optional<std::uint32_t> value_of(const IssueTapRequest& issue, unsigned lane,
                                                      std::uint64_t address) const;

 public:
  sim::BlockTarget<IssueTapProtocol, StoreTap, &StoreTap::tap> tap_tsock{"tap_tsock", this};

 private:
  sim::StoreWatch& watch_;
  base::CoreId core_;
  const LaunchContext* launch_ = nullptr;
};

}  // namespace heddle::core
