heddle_rtl(warp_scheduler VWarpSchedulerLrr Warps=64 Gto=0)
heddle_rtl(warp_scheduler VWarpSchedulerGto Warps=64 Gto=1)
# For the bench, as they are synthesised.
heddle_rtl(warp_scheduler VWarpSchedulerLrrNoDebug Warps=64 Gto=0 Debug=0)
heddle_rtl(warp_scheduler VWarpSchedulerGtoNoDebug Warps=64 Gto=1 Debug=0)
