# AWARE's tables of 1, 2, 4 and all 32 physical entries; the last is also Multi-Path's.
foreach(entries 1 2 4 32)
  heddle_rtl(reconvergence_table VReconvergenceTable${entries} Warps=64 Physical=${entries} FrameW=32)
endforeach()
# What the thesis counts, for the bench: no frames, kinds or timers.
foreach(entries 4 32)
  heddle_rtl(reconvergence_table VReconvergenceTable${entries}Plain Warps=64 Physical=${entries} Calls=0 Timers=0)
endforeach()
