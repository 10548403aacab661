heddle_test(test_host SOURCES host_allocation_test.cpp host_device_test.cpp LINK heddle_host)
