program hello
  use mpi
  integer :: error
  call MPI_Init(error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
