heddle_test(report_test
  SOURCES report/block_area_test.cpp report/page_test.cpp report/synthesis_sheets_test.cpp
  LINK heddle_report
  LABELS unit)
