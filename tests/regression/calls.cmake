heddle_test(calls_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/calls_test.cpp ${CMAKE_CURRENT_LIST_DIR}/calls_hand_written_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/calls_oracle_test.cpp ${CMAKE_CURRENT_LIST_DIR}/calls_print_test.cpp ${CMAKE_CURRENT_LIST_DIR}/refused_kernels_test.cpp
  LINK heddle_gpu heddle_oracle LABELS regression TIMEOUT 300)
