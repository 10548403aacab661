heddle_test(core_test SYSTEMC
  SOURCES core/blocks_test.cpp core/fetch_test.cpp core/issue_stage_test.cpp core/sub_core_fetch_test.cpp core/local_queues_test.cpp core/policies_test.cpp core/scheduler_bank_test.cpp core/scheduler_test.cpp core/scoreboard_ports_test.cpp core/dependence_counters_test.cpp core/code_hazards_test.cpp
          core/profile_test.cpp core/registers_test.cpp
          core/accesses_test.cpp core/carve_out_test.cpp core/constant_cache_test.cpp core/l1d_allocating_test.cpp core/l1d_test.cpp core/lsu_sub_core_test.cpp core/lsu_test.cpp core/lsu_formation_test.cpp core/load_data_path_test.cpp
          core/line_access_stage_test.cpp core/pending_request_table_test.cpp
          core/lsu_interposer_test.cpp core/shared_memory_test.cpp core/write_order_test.cpp
  LINK heddle_core
  LABELS unit)
