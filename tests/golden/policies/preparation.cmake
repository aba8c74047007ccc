list(APPEND spmv_programs "preparation|--policy preparation")
