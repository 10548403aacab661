# Sets of eight registers ([MultiPath] §7.5.6), of both kinds; and those of mechanisms whose splits issue side by side. At most 32 warps:
# no scheduler of platforms/configs has more. RegW: any register number of a kernel.
heddle_rtl(scoreboard VScoreboard Warps=32 RegW=16 Masks=0)
heddle_rtl(scoreboard VScoreboardMasks Warps=32 RegW=16 Masks=1)
heddle_rtl(scoreboard VScoreboardGroups Warps=16 Groups=4 RegW=16 Masks=0)
heddle_rtl(scoreboard VScoreboardMasksGroups Warps=16 Groups=4 RegW=16 Masks=1)
# For the bench, as they are synthesised.
heddle_rtl(scoreboard VScoreboardNoDebug Warps=32 RegW=16 Masks=0 Debug=0)
heddle_rtl(scoreboard VScoreboardMasksNoDebug Warps=32 RegW=16 Masks=1 Debug=0)
