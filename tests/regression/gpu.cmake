heddle_test(workloads_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/workloads_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
heddle_test(mimd_forms_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/mimd_forms_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
heddle_test(hanoi_workloads_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/hanoi_workloads_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
heddle_test(compaction_workloads_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/compaction_workloads_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
heddle_test(resync_workloads_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/resync_workloads_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
heddle_test(scoreboard_ports_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/scoreboard_ports_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
heddle_test(barrier_counts_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/barrier_counts_test.cpp
            LINK heddle_gpu heddle_oracle LABELS regression)
heddle_test(hangs_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/hangs_test.cpp ${CMAKE_CURRENT_LIST_DIR}/no_hangs_test.cpp
            LINK heddle_gpu LABELS regression)
heddle_test(warp_sync_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/warp_sync_test.cpp ${CMAKE_CURRENT_LIST_DIR}/warp_intrinsics_test.cpp
            LINK heddle_gpu heddle_oracle LABELS regression)
heddle_test(lockstep_attack_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/lockstep_attack_test.cpp
            LINK heddle_gpu heddle_oracle LABELS regression)
heddle_test(memory_path_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/memory_path_test.cpp ${CMAKE_CURRENT_LIST_DIR}/foreign_memory_test.cpp
            LINK heddle_gpu LABELS regression)
heddle_test(hang_corpus_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/hang_corpus_test.cpp ${CMAKE_CURRENT_LIST_DIR}/hang_patterns_test.cpp
                    ${CMAKE_CURRENT_LIST_DIR}/hang_corpus.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
# Its tests are named after the table's rows: linked, and listed, anew when these change.
set_property(TARGET hang_corpus_test APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/tests/data/hangs/corpus.json)
heddle_test(core_extension_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/core_extension_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression)
heddle_test(partition_unit_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/partition_unit_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
heddle_test(perturbation_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/perturbation_test.cpp ${CMAKE_CURRENT_LIST_DIR}/workload_scenario.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
heddle_test(racy_kernels_test SYSTEMC
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/racy_kernels_test.cpp ${CMAKE_CURRENT_LIST_DIR}/racy/racy_kernel.cpp
            LINK heddle_gpu LABELS regression TIMEOUT 600)
