heddle_rtl(warp_scheduler VWarpSchedulerLrr Warps=64 Gto=0)
heddle_rtl(warp_scheduler VWarpSchedulerGto Warps=64 Gto=1)
