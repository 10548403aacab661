# The table of platforms/configs; and one that is soon full, whose branches are confirmed at once.
heddle_rtl(sib_table VSibTable16 Entries=16 Threshold=4)
heddle_rtl(sib_table VSibTable2 Entries=2 Threshold=1)
