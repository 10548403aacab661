heddle_test(analysis_test
  SOURCES analysis/cfg_test.cpp analysis/dominators_test.cpp analysis/loops_test.cpp analysis/liveness_test.cpp analysis/regions_test.cpp
  LINK heddle_analysis
  LABELS unit)
