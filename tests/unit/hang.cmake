heddle_test(hang_test
  SOURCES hang_values_test.cpp hang_exploration_test.cpp hang_class_test.cpp hang_support.cpp ptx_support.cpp
  LINK heddle_hang heddle_ptx
  LABELS unit)
