# Values and files that every library uses, and the small libraries on top of them: energy, the host interface.
heddle_test(base_test
  SOURCES base/config_test.cpp base/page_marks_test.cpp base/stats_test.cpp energy/energy_test.cpp host/allocation_test.cpp host/device_heap_test.cpp host/device_test.cpp
  LINK heddle_energy heddle_host
  LABELS unit)
