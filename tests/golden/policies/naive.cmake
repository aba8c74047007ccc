list(APPEND spmv_programs "naive|--policy naive")
