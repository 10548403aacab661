# Deterministic execution on the whole GPU: goldens of gpudet, random kernels against the oracle, and rules left out, which
# racy kernels under perturbed timing must show.
if(TARGET heddle_gpu)
  heddle_test(determinism_kernels_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/determinism_kernels_test.cpp
    LINK heddle_kernel_generator heddle_oracle heddle_gpu LABELS regression TIMEOUT 600)
  heddle_test(determinism_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/determinism/quantum_golden_test.cpp ${CMAKE_CURRENT_LIST_DIR}/determinism/memory_golden_test.cpp
            ${CMAKE_CURRENT_LIST_DIR}/determinism/serial_golden_test.cpp ${CMAKE_CURRENT_LIST_DIR}/determinism/timing_test.cpp
            ${CMAKE_CURRENT_LIST_DIR}/determinism/refusals_test.cpp ${CMAKE_CURRENT_LIST_DIR}/determinism/rig.cpp
            ${CMAKE_CURRENT_LIST_DIR}/racy/racy_kernel.cpp
    LINK heddle_cli LABELS regression TIMEOUT 300)
  heddle_test(determinism_workloads_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/determinism_workloads_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
    LINK heddle_cli LABELS regression TIMEOUT 600)
  heddle_test(determinism_rules_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/determinism/broken_rules_test.cpp ${CMAKE_CURRENT_LIST_DIR}/determinism/observables_test.cpp
            ${CMAKE_CURRENT_LIST_DIR}/determinism/rig.cpp ${CMAKE_CURRENT_LIST_DIR}/racy/racy_kernel.cpp
    LINK heddle_gpu LABELS regression TIMEOUT 600)
endif()
