# For recursive kernels, as rtl/simt_stack.
heddle_rtl(split_unit VSplitUnit Warps=64 Frames=96 Requesters=9)
