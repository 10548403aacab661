heddle_rtl(split_fifo VSplitFifo Warps=64)
