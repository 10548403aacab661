heddle_test(spin_test SYSTEMC
  SOURCES spin/bows_test.cpp spin/ddos_test.cpp spin/sib_table_test.cpp spin/storage_test.cpp
  LINK heddle_spin
  LABELS unit)
