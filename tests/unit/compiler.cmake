# Passes over decoded kernels: the editor, the standard passes, facts about programs.
heddle_test(compiler_test
  SOURCES compiler/kernel_editor_test.cpp compiler/corpus_test.cpp compiler/early_exits_test.cpp compiler/facts_test.cpp compiler/full_meetings_test.cpp compiler/loop_exits_test.cpp compiler/likely_test.cpp compiler/list_schedule_test.cpp compiler/pipeline_test.cpp
          compiler/convergence_corpus_test.cpp
          ${CMAKE_SOURCE_DIR}/tests/regression/test_passes.cpp ptx/support.cpp
  LINK heddle_compiler heddle_ptx
  LABELS unit)
# Placement of convergence instructions.
heddle_test(convergence_test
  SOURCES compiler/convergence_random_test.cpp compiler/random_flow.cpp compiler/random_flow_programs.cpp compiler/regions_test.cpp
  LINK heddle_compiler heddle_ptx heddle_simt heddle_core SYSTEMC
  LABELS unit)
