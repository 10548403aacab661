heddle_test(ptx_test
  SOURCES ptx/parser_test.cpp ptx/parser_speed_test.cpp ptx/bad_files_test.cpp ptx/decode_arithmetic_test.cpp ptx/decode_atomic_test.cpp
          ptx/decode_calls_test.cpp ptx/decode_control_test.cpp ptx/decode_kernel_test.cpp ptx/decode_memory_test.cpp
          ptx/decode_move_test.cpp ptx/decode_refusal_test.cpp ptx/compilers_test.cpp ptx/support.cpp
          ptx/coverage_test.cpp ptx/constant_expression_test.cpp
  LINK heddle_compiler heddle_ptx isa_reference
  LABELS unit)
