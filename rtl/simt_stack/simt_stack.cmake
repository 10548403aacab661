# For recursive kernels: the workload `dispatch` takes 43 entries at most. 31 divergences and 95 calls would take 158.
heddle_rtl(simt_stack VSimtStack Warps=64 Depth=128 Frames=96 Requesters=9)
# So small that the bench fills it; with each constant FirstSide.
heddle_rtl(simt_stack VSimtStackTaken Warps=64 Depth=9 Frames=3 FirstSide=1 Requesters=9)
heddle_rtl(simt_stack VSimtStackNotTaken Warps=64 Depth=9 Frames=3 FirstSide=2 Requesters=9)
heddle_rtl(simt_stack VSimtStackSmaller Warps=64 Depth=9 Frames=3 FirstSide=3 Requesters=9)
# As it is synthesised, with a number of words below the top that is no power of two.
heddle_rtl(simt_stack VSimtStackNoDebug Warps=64 Depth=10 Frames=3 FirstSide=1 Requesters=9 Debug=0)
