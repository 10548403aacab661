# The physical entries for which there are golden sizes ([AWARE] Tab 5.2), and 2.
foreach(physical 1 2 4 6 32)
  heddle_rtl(split_table VSplitTable${physical} Warps=64 Physical=${physical})
endforeach()
# What the thesis counts, for the bench: no frames, kinds or MATCH.
heddle_rtl(split_table VSplitTable6Plain Warps=64 Physical=6 Calls=0 Match=0)
