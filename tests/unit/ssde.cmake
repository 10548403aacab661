# SIMT-induced deadlocks: detection, delayed reconvergence and SSDE on PTX text.
heddle_test(ssde_test
  SOURCES ssde/detection_test.cpp ssde/transform_test.cpp ssde/compiled_test.cpp ssde/delayed_test.cpp ssde/waiting_sets_test.cpp ssde/stack_check_test.cpp
          ssde/kernels.cpp
  LINK heddle_compiler heddle_ssde
  LABELS unit)
target_compile_definitions(ssde_test PRIVATE HEDDLE_PTXAS="$<$<BOOL:${HEDDLE_PTXAS}>:${HEDDLE_PTXAS}>"
  HEDDLE_WORKLOAD_PTX="${CMAKE_SOURCE_DIR}/platforms/workloads/ptx")
