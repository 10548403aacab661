// The mechanisms that configuration keys select by name. Programs register their own here:
//
//   gpu::control_flow_mechanisms().add({"mine", "what it does", {}, {}, [](const simt::MechanismSite& site) { ... }});
//   gpu::load_platform("gtx480", {"core.control_flow.mechanism=mine"});
//
// Register before the first GpuConfig is made, from one thread: a configuration has the mechanisms
// registered by then.
#pragma once

#include "base/registry.h"
#include "cache/replacement.h"
#include "core/core_extension.h"
#include "core/cta/cta_dispatch_policy.h"
#include "core/schedule/scheduling_policy.h"
#include "memory/address_map.h"
#include "memory/dram_policy.h"
#include "simt/mechanism.h"
#include "system/gpu_mechanism.h"

namespace heddle::gpu {

/// core.control_flow.mechanism
[[nodiscard]] base::Registry<simt::Mechanism>& control_flow_mechanisms();
/// core.scheduler.policy
[[nodiscard]] base::Registry<core::SchedulingPolicy>& scheduling_policies();
/// core.<name>.*: what may be added to every core
[[nodiscard]] base::Registry<core::CoreUnit>& core_units();
/// dispatch.policy
[[nodiscard]] base::Registry<core::DispatchPolicy>& dispatch_policies();

/// core.l1d.replacement, core.l1i.replacement, core.constant_cache.replacement, memory.l2.replacement
[[nodiscard]] base::Registry<cache::Replacement>& replacement_policies();
/// memory.dram.scheduler
[[nodiscard]] base::Registry<memory::DramScheduling>& dram_schedulers();
/// memory.dram.page_policy
[[nodiscard]] base::Registry<memory::DramPaging>& dram_page_policies();
/// memory.address_map
[[nodiscard]] base::Registry<memory::AddressMapping>& address_maps();

/// <name>.*: mechanisms of the whole GPU
[[nodiscard]] base::Registry<system::GpuMechanismEntry>& gpu_mechanisms();

/// The default in SchedulerConfig.
inline constexpr const char* kDefaultSchedulingPolicy = "gto";

/// What a program has added to any of them, for messages; empty: nothing.
[[nodiscard]] std::string added_by_program();

}  // namespace heddle::gpu
