heddle_test(ptx_test
  SOURCES ptx_parser_test.cpp ptx_parser_speed_test.cpp ptx_bad_files_test.cpp ptx_decode_arithmetic_test.cpp
          ptx_decode_calls_test.cpp ptx_decode_control_test.cpp ptx_decode_kernel_test.cpp ptx_decode_memory_test.cpp
          ptx_decode_move_test.cpp ptx_decode_refusal_test.cpp ptx_compilers_test.cpp ptx_support.cpp
  LINK heddle_ptx
  LABELS unit)
