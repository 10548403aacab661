# For recursive kernels, as rtl/simt_stack.
heddle_rtl(split_unit VSplitUnit Warps=64 Frames=96 Requesters=9)
# For the bench, as it is synthesised.
heddle_rtl(split_unit VSplitUnitNoDebug Warps=64 Frames=96 Requesters=9 Debug=0)
