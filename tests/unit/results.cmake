heddle_test(results_test
  SOURCES results/results_test.cpp results/run_folder_test.cpp results/series_test.cpp
  LINK heddle_results
  LABELS unit)
