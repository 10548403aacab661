heddle_test(cli_test SYSTEMC
  SOURCES cli/address_pairs_test.cpp cli/argument_test.cpp cli/block_log_test.cpp cli/child_run_test.cpp cli/detail_choice_test.cpp cli/estimated_launch_test.cpp cli/files_test.cpp cli/memory_compare_test.cpp cli/profile_test.cpp cli/report_test.cpp cli/run_difference_test.cpp cli/trace_test.cpp
  LINK heddle_cli
  LABELS unit)
