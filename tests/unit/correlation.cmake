heddle_test(correlation_test
  SOURCES correlation/comparison_test.cpp correlation/counters_test.cpp correlation/means_test.cpp correlation/truth_test.cpp
  LINK heddle_correlation
  LABELS unit)
