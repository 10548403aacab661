# The physical entries for which there are golden sizes ([AWARE] Tab 5.2), and 2.
foreach(physical 1 2 4 6 32)
  heddle_rtl(split_table VSplitTable${physical} Warps=64 Physical=${physical})
endforeach()
