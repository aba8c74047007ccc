list(APPEND spmv_programs
  "node-aware two-sided|--policy node-aware" "node-aware two-sided overlapped|--policy node-aware --completion overlapped"
  "node-aware put|--policy node-aware --transfer put"
  "node-aware put overlapped|--policy node-aware --transfer put --completion overlapped")
golden_test("node-aware: schedules equal recordings on nodes of any size, and every command takes it" "golden;mpi" node_aware)
