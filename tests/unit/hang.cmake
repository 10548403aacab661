heddle_test(hang_test
  SOURCES hang/values_test.cpp hang/exploration_test.cpp hang/class_test.cpp hang/diagnosis_test.cpp hang/size_test.cpp hang/support.cpp ptx/support.cpp
  LINK heddle_compiler heddle_hang heddle_ptx
  LABELS unit)
