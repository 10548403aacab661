# Linkers write a program in place: meanwhile nobody can start it ("Text file busy", or half a file). So it is linked under
# another name and renamed: who starts it at any time gets the old program or the new one.
set(CMAKE_CXX_LINK_EXECUTABLE
    "<CMAKE_CXX_COMPILER> <FLAGS> <CMAKE_CXX_LINK_FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET>.linking <LINK_LIBRARIES>"
    "\"${CMAKE_COMMAND}\" -E rename <TARGET>.linking <TARGET>")
