# Deterministic execution on the whole GPU: goldens of gpudet, and random kernels against the oracle.
if(TARGET heddle_gpu)
  heddle_test(determinism_kernels_test SYSTEMC
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/determinism_kernels_test.cpp
    LINK heddle_kernel_generator heddle_oracle heddle_gpu LABELS regression TIMEOUT 600)
endif()
