TITLE = "x"
PLATFORM = "gtx480"
