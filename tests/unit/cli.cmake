foreach(topic IN ITEMS argument files profile report trace)
  heddle_test(cli_${topic}_test SYSTEMC SOURCES ${CMAKE_CURRENT_LIST_DIR}/cli/${topic}_test.cpp LINK heddle_cli
              LABELS unit)
endforeach()
