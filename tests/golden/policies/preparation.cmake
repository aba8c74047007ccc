list(APPEND spmv_programs "preparation|--policy preparation" "preparation get|--policy preparation --transfer get")
golden_test("preparation: measured, simulated and by the closed form, phase by phase" "golden;mpi" preparation)
