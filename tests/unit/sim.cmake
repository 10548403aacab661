heddle_test(sim_test SYSTEMC
  SOURCES sim/ahead_gain_test.cpp sim/block_socket_test.cpp sim/clock_test.cpp sim/memory_log_test.cpp sim/thread_gain_test.cpp sim/twins_test.cpp base/host_heap_test.cpp
  LINK heddle_simt
  LABELS unit)

# Of several threads, with the parts that they share built for the thread sanitizer where it is there (host.cmake).
heddle_test(windows_test SYSTEMC NO_PCH
            SOURCES ${CMAKE_CURRENT_LIST_DIR}/sim/windows_test.cpp ${CMAKE_SOURCE_DIR}/models/sim/ahead_gain.cpp
                    ${CMAKE_SOURCE_DIR}/models/sim/clock.cpp ${CMAKE_SOURCE_DIR}/models/sim/thread_gain.cpp
                    ${CMAKE_SOURCE_DIR}/models/sim/windows.cpp ${CMAKE_SOURCE_DIR}/models/sim/worker_threads.cpp
            LINK heddle_isolated heddle_base
            LABELS unit)
if(HEDDLE_HAS_THREAD_SANITIZER AND NOT HEDDLE_SANITIZE AND NOT HEDDLE_FUZZ)
  target_compile_options(windows_test PRIVATE -fsanitize=thread)
  target_link_options(windows_test PRIVATE -fsanitize=thread)
endif()
