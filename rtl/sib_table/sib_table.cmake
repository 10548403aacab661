# The table of platforms/configs, for the bench also as it is synthesised; and one that is soon full, whose branches are confirmed at
# once. All for any number of schedulers: who asks for nothing takes no turn.
heddle_rtl(sib_table VSibTable16 Entries=16 Threshold=4 Requesters=8)
heddle_rtl(sib_table VSibTable16NoDebug Entries=16 Threshold=4 Requesters=8 Debug=0)
heddle_rtl(sib_table VSibTable2 Entries=2 Threshold=1 Requesters=8)
