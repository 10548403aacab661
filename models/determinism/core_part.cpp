#include "determinism/core_part.h"

#include "core/state/core_state.h"

namespace heddle::determinism {

CorePart::CorePart(const sc_core::sc_module_name& name, const DeterminismConfig& config,
                   const DepthFormat& depths, Preconditions& preconditions, const memory::AddressMap& map,
                   const core::CoreExtensionSite& site)
    : sc_module(name),
      quantum_unit_("quantum_unit", config, preconditions, site),
      store_buffer_("store_buffer", config, depths, preconditions, site),
      direct_writer_("direct_writer", site.core, site.services.pool, site.memory_port),
      engine_(make_commit_engine("engine", config.commit_engine, config.zbuffer, config.lock,
                                 {site.memory_port, site.services.pool, map, site.config.occupancy.max_warps,
                                  site.stats.child("determinism")
                                      .child("commit_engine", "entries of logs on their way to memory")})) {
  quantum_unit_.store_buffer_isock.bind(store_buffer_.control_tsock);
  store_buffer_.event_isock.bind(quantum_unit_.event_tsock);
  store_buffer_.serial_isock.bind(direct_writer_.commit_tsock);
  direct_writer_.ack_isock.bind(store_buffer_.serial_ack_tsock);
  store_buffer_.commit_isock.bind(engine_->commit_tsock);
  engine_->ack_isock.bind(store_buffer_.ack_tsock);
}

}  // namespace heddle::determinism
