heddle_test(sim_test SYSTEMC JSON
  SOURCES sim/block_socket_test.cpp sim/clock_test.cpp sim/memory_log_test.cpp sim/twins_test.cpp sim/windows_test.cpp base/host_heap_test.cpp
  LINK heddle_simt heddle_isolated
  LABELS unit)
