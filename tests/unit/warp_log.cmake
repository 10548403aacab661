heddle_test(warp_log_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/warp_log/bloom_filter_test.cpp ${CMAKE_CURRENT_LIST_DIR}/warp_log/log_layout_test.cpp
  LINK heddle_warp_log)
