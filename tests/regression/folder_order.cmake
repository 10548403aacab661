# Which folder may include which, and how large a class may be. Each case is a test of its own.
find_program(HEDDLE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH) # the system's, if there are several
find_program(HEDDLE_PYTHON NAMES python3 REQUIRED)
foreach(page IN ITEMS folder_order class_size)
  set(cases ${CMAKE_CURRENT_LIST_DIR}/${page}_cases.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cases})
  execute_process(COMMAND ${HEDDLE_PYTHON} -B ${cases} --list OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" names "${names}")
  foreach(name IN LISTS names)
    add_test(NAME folders.${name} COMMAND ${HEDDLE_PYTHON} -B ${cases} ${name})
    heddle_time_limit(60 folders.${name})
    set_tests_properties(folders.${name} PROPERTIES LABELS regression)
  endforeach()
endforeach()
