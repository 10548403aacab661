heddle_test(determinism_parts_test SYSTEMC
  SOURCES determinism/z_buffer_golden_test.cpp determinism/z_buffer_random_test.cpp determinism/z_buffer_contract_test.cpp
          determinism/z_cache_test.cpp determinism/log_test.cpp determinism/store_buffer_parts_test.cpp determinism/quantum_parts_test.cpp
  LINK heddle_determinism
  LABELS unit)
