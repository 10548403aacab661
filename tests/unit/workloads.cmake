heddle_test(test_workloads
  SOURCES workloads/workloads_test.cpp workloads/verdict_test.cpp workloads/ptx_test.cpp workloads/ptx_cfg.cpp workloads/watched_device.cpp
  LINK heddle_oracle heddle_workloads
  TIMEOUT 120)
