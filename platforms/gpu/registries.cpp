#include "gpu/registries.h"

#include "compaction/block_priority.h"
#include "compaction/dwf.h"
#include "compaction/pc_priority.h"
#include "compaction/simd_statistics.h"
#include "compaction/tbc.h"
#include "compaction/warp_synchrony.h"
#include "core/cta/gpc_dispatch.h"
#include "core/cta/round_robin.h"
#include "core/cta/start_jitter.h"
#include "core/schedule/cawa.h"
#include "core/schedule/glrr.h"
#include "core/schedule/gto.h"
#include "core/schedule/gty.h"
#include "core/schedule/lrr.h"
#include "core/schedule/two_level.h"
#include "core/schedule/youngest_cta.h"
#include "determinism/determinism_mechanism.h"
#include "resync/core/resync_control.h"
#include "simt/aware.h"
#include "simt/hanoi/hanoi.h"
#include "simt/multi_path.h"
#include "simt/simt_stack.h"
#include "spin/spin_unit.h"
#include "spin/sync_statistics.h"
#include "tm/tm_mechanism.h"

namespace heddle::gpu {

base::Registry<simt::Mechanism>& control_flow_mechanisms() {
  static base::Registry<simt::Mechanism> registry{"control-flow mechanism",
                                                  {
                                                      simt::simt_stack_mechanism(),
                                                      simt::aware_mechanism(),
                                                      simt::multi_path_mechanism(),
                                                      simt::hanoi_mechanism(),
                                                      resync::resync_mechanism(),
                                                      compaction::tbc_mechanism(),
                                                      compaction::dwf_mechanism(),
                                                  }};
  return registry;
}

base::Registry<core::SchedulingPolicy>& scheduling_policies() {
  static base::Registry<core::SchedulingPolicy> registry{"scheduling policy",
                                                         {
                                                             core::lrr_policy(),
                                                             core::gto_policy(),
                                                             core::two_level_policy(),
                                                             core::cawa_policy(),
                                                             compaction::age_policy(),
                                                             compaction::rrb_policy(),
                                                             compaction::srr_policy(),
                                                             compaction::majority_policy(),
                                                             compaction::minority_policy(),
                                                             compaction::lowest_pc_policy(),
                                                             compaction::post_dominator_policy(),
                                                             core::glrr_policy(),
                                                             core::youngest_cta_policy(),
                                                             core::gty_policy(),
                                                         }};
  return registry;
}

base::Registry<core::CoreUnit>& core_units() {
  static base::Registry<core::CoreUnit> registry{
      "core unit",
      {spin::spin_core_unit(), spin::sync_statistics_core_unit(), compaction::warp_synchrony_core_unit(),
       compaction::simd_statistics_core_unit(), core::start_jitter_core_unit()}};
  return registry;
}

base::Registry<core::DispatchPolicy>& dispatch_policies() {
  static base::Registry<core::DispatchPolicy> registry{"dispatch policy",
                                                       {core::round_robin_dispatch(), core::gpc_dispatch()}};
  return registry;
}

base::Registry<cache::Replacement>& replacement_policies() {
  static base::Registry<cache::Replacement> registry{
      "replacement policy",
      {cache::lru_replacement(), cache::tree_plru_replacement(), cache::srrip_replacement()}};
  return registry;
}

base::Registry<memory::DramScheduling>& dram_schedulers() {
  static base::Registry<memory::DramScheduling> registry{
      "DRAM scheduler",
      {memory::fr_fcfs_scheduling(), memory::fcfs_scheduling(), memory::fr_fcfs_cap_scheduling()}};
  return registry;
}

base::Registry<memory::DramPaging>& dram_page_policies() {
  static base::Registry<memory::DramPaging> registry{"DRAM page policy",
                                                     {memory::open_paging(), memory::closed_paging()}};
  return registry;
}

base::Registry<memory::AddressMapping>& address_maps() {
  static base::Registry<memory::AddressMapping> registry{
      "address map", {memory::interleaved_mapping(), memory::xor_mapping(), memory::ipoly_mapping()}};
  return registry;
}

base::Registry<system::GpuMechanismEntry>& gpu_mechanisms() {
  static base::Registry<system::GpuMechanismEntry> registry{
      "mechanism of the GPU", {determinism::determinism_mechanism(), tm::tm_mechanism()}};
  return registry;
}

std::string added_by_program() {
  for (const std::string& added :
       {control_flow_mechanisms().added(), scheduling_policies().added(), core_units().added(),
        dispatch_policies().added(), replacement_policies().added(), dram_schedulers().added(),
        dram_page_policies().added(), address_maps().added()})
    if (!added.empty()) return added + " of the program";
  return {};
}

}  // namespace heddle::gpu
