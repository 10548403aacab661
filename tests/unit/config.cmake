heddle_test(config_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/base/config_test.cpp LINK heddle_base LABELS unit)
