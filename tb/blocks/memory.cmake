# SystemC benches of the memory side.
foreach(bench crossbar dram partition memory_system)
  heddle_test(${bench}_bench SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/memory/${bench}_bench.cpp LINK heddle_memory
              LABELS bench TIMEOUT 120)
endforeach()
heddle_test(protocol_checker_bench SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/protocol_checker_bench.cpp
            LINK heddle_memory LABELS bench)
