# The reference: what every operation of a lane computes, and operands to try.
heddle_library(isa_reference
  SOURCES isa/warp.cpp isa/reference.cpp isa/reference_integer.cpp isa/reference_float.cpp isa/reference_convert.cpp
          isa/reference_half.cpp isa/reference_narrow.cpp isa/reference_fields.cpp isa/reference_video.cpp isa/reference_warp.cpp isa/samples.cpp
  LINK heddle_isa GTest::gtest)
heddle_not_hot(isa_reference)
heddle_test(isa_test
  SOURCES isa/everything_test.cpp isa/integer_test.cpp isa/float_test.cpp isa/convert_test.cpp isa/compare_test.cpp
          isa/cross_lane_test.cpp isa/half_test.cpp isa/matrix_test.cpp isa/texture_test.cpp isa/kernel_test.cpp isa/instruction_test.cpp isa/machine_test.cpp isa/mufu_test.cpp
          ${CMAKE_SOURCE_DIR}/tests/card/suite/values.cpp
  LINK isa_reference
  LABELS unit TIMEOUT 120)

# The levels above the baseline must not leak code into the rest of the program.
foreach(level v3 v4)
  if(TARGET heddle_isa_lanes_${level})
    add_test(NAME isa_test.level_${level}_defines_only_its_own_symbols
             COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D LEVEL=${level}
                     -D "OBJECTS=$<JOIN:$<TARGET_OBJECTS:heddle_isa_lanes_${level}>,$<COMMA>>"
                     -P ${CMAKE_SOURCE_DIR}/models/isa/lane/check_symbols.cmake)
  endif()
endforeach()
