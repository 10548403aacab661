# Tag arrays and replacement policies.
heddle_test(cache_test
  SOURCES cache/replacement_test.cpp cache/tag_array_test.cpp
  LINK heddle_cache
  LABELS unit)
