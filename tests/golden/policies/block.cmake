list(APPEND spmv_programs "block get|--policy block" "block put|--policy block --transfer put")
