# The sets of platforms/configs, of both kinds. RegW: any register number of a kernel.
foreach(entries 8 64)
  heddle_rtl(scoreboard VScoreboard${entries} Warps=64 Entries=${entries} RegW=16 Masks=0)
  heddle_rtl(scoreboard VScoreboard${entries}Masks Warps=64 Entries=${entries} RegW=16 Masks=1)
endforeach()
