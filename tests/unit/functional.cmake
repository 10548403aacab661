heddle_test(functional_test SYSTEMC
  SOURCES functional/machine_test.cpp ptx/support.cpp
  LINK heddle_functional heddle_compiler heddle_ptx
  LABELS unit)
