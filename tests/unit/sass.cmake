heddle_test(sass_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/sass/words_test.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/forms_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/sass/instruction_test.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/listing_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/sass/cubin_test.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/fat_binary_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/sass/line_table_test.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/damaged_test.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/lowering_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/sass/lane_test.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/case_text.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/assembler.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/lane_integer_cases.cpp
          ${CMAKE_CURRENT_LIST_DIR}/sass/lane_bit_cases.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/lane_float_cases.cpp
          ${CMAKE_CURRENT_LIST_DIR}/sass/lane_half_cases.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/lane_conversion_cases.cpp
          ${CMAKE_CURRENT_LIST_DIR}/sass/lane_move_cases.cpp
          ${CMAKE_CURRENT_LIST_DIR}/sass/lowered_instruction.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/random_instruction.cpp
          ${CMAKE_CURRENT_LIST_DIR}/sass/data.cpp ${CMAKE_CURRENT_LIST_DIR}/sass/elf_writer.cpp
  LINK heddle_sass
  LABELS unit)
