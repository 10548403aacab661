heddle_test(stats_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/base/stats_test.cpp LINK heddle_base LABELS unit)
