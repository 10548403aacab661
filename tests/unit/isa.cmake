heddle_test(isa_test
  SOURCES isa_everything_test.cpp isa_integer_test.cpp isa_float_test.cpp isa_convert_test.cpp isa_compare_test.cpp
          isa_cross_lane_test.cpp isa_half_test.cpp isa_kernel_test.cpp
          isa_warp.cpp isa_reference.cpp isa_reference_integer.cpp isa_reference_float.cpp isa_reference_convert.cpp
          isa_reference_half.cpp isa_reference_fields.cpp isa_reference_warp.cpp isa_samples.cpp
  LINK heddle_isa
  TIMEOUT 120)

# The levels above the baseline must not leak code into the rest of the program.
foreach(level v3 v4)
  if(TARGET heddle_isa_lanes_${level})
    add_test(NAME isa_test.level_${level}_defines_only_its_own_symbols
             COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D LEVEL=${level}
                     -D "OBJECTS=$<JOIN:$<TARGET_OBJECTS:heddle_isa_lanes_${level}>,$<COMMA>>"
                     -P ${CMAKE_SOURCE_DIR}/models/isa/lane/check_symbols.cmake)
  endif()
endforeach()
