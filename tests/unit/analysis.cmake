heddle_test(analysis_test
  SOURCES analysis_cfg_test.cpp analysis_dominators_test.cpp analysis_loops_test.cpp analysis_liveness_test.cpp
  LINK heddle_analysis
  LABELS unit)
