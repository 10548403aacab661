heddle_test(profile_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/profile_test.cpp
            LINK heddle_cli LABELS regression TIMEOUT 300)
