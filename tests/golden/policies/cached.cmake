# Few lines, so that they are replaced, and some return.
list(APPEND spmv_programs "cached|--policy cached --line 32 --lines 4 --victim 1")
golden_test("cached: schedules equal recordings for any shape of the cache, and every command takes it" "golden;mpi" cached)
