#include "core/core_blocks.h"

namespace heddle::core {

CoreBlocks::CoreBlocks(base::CoreId id, const CoreConfig& config, const CoreServices& services,
                       sim::ClockMember& clock, base::StatGroup& stats)
    : control_flow_unit("branch_unit", config.control_flow.factory(config.scheduler.count),
                        config.occupancy.max_warps, stats.child("branch_unit", "control flow within a warp"),
                        services.twins),
      fetch(config, control_flow_unit.groups(), stats.child("fetch", "fetch unit and I-buffers")),
      l1i("l1i", config.l1i, id, services.pool, stats.child("l1i", "L1 instruction cache")),
      scoreboard(config, services, control_flow_unit.traits(), stats),
      pipes("pipes", config.pipes, config.register_file, config.scheduler.sub_cores,
            stats.child("pipes", "execution pipes")),
      register_file("register_file", config.register_file, config.scheduler.sub_cores,
                    stats.child("register_file", "register banks and write-back ports")),
      barrier_unit("barrier_unit", config.occupancy.max_ctas, stats.child("barrier_unit", "CTA barriers")),
      memory_port("memory_port", config.memory_port, clock,
                  stats.child("memory_port", "connection to the crossbar")),
      l1d("l1d", config.resolved_l1d(), services.progress, stats.child("l1d", "L1 data cache")),
      constant_cache("constant_cache", config.constant_cache, id, services.pool, services.progress,
                     stats.child("constant_cache", "constants and kernel parameters")),
      shared_memory("shared_memory", config.shared_memory, services.progress, id.value(),
                    stats.child("shared_memory", "shared memory")),
      lsu("lsu", config, id, services.pool, services.allocations, stats.child("lsu", "load/store unit"),
          &services.progress.log),
      table_traffic("table_traffic", config.occupancy.max_warps,
                    stats.child("table_traffic", "spilled entries of the branch unit's tables")) {}

void CoreBlocks::bind(CorePorts& ports) {
  ports.control_flow_isock.bind(control_flow_unit.branch_tsock);
  control_flow_unit.table_memory_isock.bind(table_traffic.table_memory_tsock);
  fetch.with([&](auto& block) {
    ports.fetch_isock.bind(block.fetch_tsock);
    block.l1i_isock.bind(l1i.l1i_tsock);
    l1i.refill_isock.bind(block.refill_tsock);
    ports.fetch_launch_isock.bind(block.launch_tsock);
  });
  scoreboard.bind(ports.scoreboard_isock);
  ports.pipes_isock.bind(pipes.pipes_tsock);
  pipes.register_isock.bind(register_file.pipes_tsock);
  ports.barrier_isock.bind(barrier_unit.barrier_tsock);
  ports.table_control_isock.bind(table_traffic.control_tsock);
  table_traffic.bind(lsu.add_client("table_traffic"));
  lsu.register_isock.bind(register_file.lsu_tsock);
  lsu.l1d_isock.bind(l1d.l1d_tsock);
  lsu.constant_isock.bind(constant_cache.constant_tsock);
  constant_cache.value_isock.bind(lsu.constant_value_tsock);
  ports.constant_isock.bind(constant_cache.immediate_tsock);
  lsu.shared_isock.bind(shared_memory.shared_tsock);
  ports.port_isock.bind(memory_port.control_tsock);
  ports.registers_launch_isock.bind(register_file.launch_tsock);
  const auto connect = [this](PortClient client, auto& block) {
    block.port_isock.bind(memory_port.request_tsock[static_cast<unsigned>(client)]);
    memory_port.response_isock[static_cast<unsigned>(client)].bind(block.response_tsock);
  };
  connect(PortClient::kData, lsu);
  connect(PortClient::kInstruction, l1i);
  connect(PortClient::kConstant, constant_cache);
}

}  // namespace heddle::core
