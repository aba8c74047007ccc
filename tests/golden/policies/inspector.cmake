list(APPEND spmv_programs
  "inspector|--policy inspector --window 13"
  "inspector overlapped|--policy inspector --completion overlapped --window 50")
golden_test("inspector: schedules equal recordings for any window and form, and every command takes it" "golden;mpi" inspector)
