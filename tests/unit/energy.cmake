heddle_test(energy_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/energy/energy_test.cpp LINK heddle_energy LABELS unit)
