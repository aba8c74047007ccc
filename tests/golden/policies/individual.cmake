list(APPEND spmv_programs "individual|--policy individual")
