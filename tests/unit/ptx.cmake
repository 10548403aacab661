heddle_test(ptx_test
  SOURCES ptx_parser_test.cpp ptx_parser_speed_test.cpp ptx_bad_files_test.cpp ptx_decode_arithmetic_test.cpp
          ptx_decode_control_test.cpp ptx_decode_kernel_test.cpp ptx_decode_memory_test.cpp
          ptx_decode_move_test.cpp ptx_decode_refusal_test.cpp ptx_compilers_test.cpp ptx_support.cpp
          ptx_coverage_test.cpp ptx_constant_expression_test.cpp
          isa_warp.cpp isa_reference.cpp isa_reference_integer.cpp isa_reference_float.cpp isa_reference_convert.cpp
          isa_reference_half.cpp isa_reference_fields.cpp isa_reference_warp.cpp isa_samples.cpp
  LINK heddle_ptx
  LABELS unit)
