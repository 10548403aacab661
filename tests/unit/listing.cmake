heddle_test(listing_test
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/listing/listing_test.cpp ${CMAKE_CURRENT_LIST_DIR}/listing/bad_listings_test.cpp
          ${CMAKE_CURRENT_LIST_DIR}/listing/ignore_convergence_test.cpp
  LINK heddle_compiler heddle_listing
  LABELS unit)
