# Kernels written for one purpose each, on whole GPUs: instructions, calls, barriers, hangs, the device's interface, determinism, transactions.
heddle_library(heddle_tx_rig SYSTEMC JSON
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/tm/rig.cpp ${CMAKE_CURRENT_LIST_DIR}/tm/random_tx.cpp
  LINK heddle_isolated heddle_gpu heddle_oracle)
heddle_not_hot(heddle_tx_rig)

set(sources
  isa_sync_test.cpp isa_async_test.cpp isa_wide_test.cpp spills_test.cpp isa_memory_test.cpp isa_move_test.cpp isa_video_test.cpp isa_coverage_test.cpp isa_support.cpp carry_chains_test.cpp stored_addresses_test.cpp
  calls_test.cpp calls_hand_written_test.cpp calls_oracle_test.cpp calls_print_test.cpp refused_kernels_test.cpp textures_test.cpp texture_values_test.cpp device_services_test.cpp
  barrier_counts_test.cpp barrier_order_test.cpp hangs_test.cpp no_hangs_test.cpp divergent_waits_test.cpp warp_sync_test.cpp warp_intrinsics_test.cpp lockstep_attack_test.cpp
  gpu_device_test.cpp device_unload_test.cpp own_mechanisms_test.cpp
  determinism/quantum_golden_test.cpp determinism/memory_golden_test.cpp determinism/serial_golden_test.cpp determinism/timing_test.cpp
  determinism/refusals_test.cpp determinism/racy_machines_test.cpp determinism/observables_test.cpp determinism/rig.cpp
  tm/transactions_test.cpp tm/progress_test.cpp tm/odd_kernels_test.cpp
  litmus_axioms_test.cpp litmus_test.cpp litmus/program.cpp litmus/axioms.cpp litmus/shapes.cpp litmus/kernel.cpp)
list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
heddle_test(gpu_test SYSTEMC SOURCES ${sources} ${CMAKE_SOURCE_DIR}/tb/examples/own_mechanisms/min_pc.cpp
            LINK heddle_tx_rig heddle_kernel_generator heddle_cli LABELS regression TIMEOUT 300)
heddle_suites(gpu_test RacyMachines Observables TIMEOUT 600)

heddle_test(launch_together_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/launch_together_test.cpp
            LINK heddle_isolated heddle_gpu LABELS regression)

add_test(NAME isa_regression.coverage
         COMMAND gpu_test --gtest_filter=IsaMemory.*:*/IsaAtomic.*:IsaMove.*:IsaVideo.*:IsaSync.*:IsaAsync.*:IsaWide.*:*/IsaCoverage.*-IsaSync.*IsAFault:IsaAsync.*IsAFault:IsaSync.*Says*:IsaSync.WarpBarrierChecks*)
heddle_time_limit(300 isa_regression.coverage)
set_tests_properties(isa_regression.coverage PROPERTIES LABELS regression)
