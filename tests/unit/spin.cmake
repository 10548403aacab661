heddle_test(spin_test SYSTEMC
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/spin/bows_test.cpp ${CMAKE_CURRENT_LIST_DIR}/spin/ddos_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/spin/sib_table_test.cpp ${CMAKE_CURRENT_LIST_DIR}/spin/storage_test.cpp
  LINK heddle_spin)
