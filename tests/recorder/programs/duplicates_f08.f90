! SPDX-License-Identifier: MIT
! The same as duplicates.c.
program duplicates
  use mpi_f08
  implicit none
  type(MPI_Comm) :: comms(0:1)
  type(MPI_Request) :: requests(0:1)
  integer :: rank, ranks, received, n
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  do n = 0, 1
    call MPI_Comm_idup(MPI_COMM_WORLD, comms(n), requests(n))
  end do
  do n = 0, 1
    call MPI_Wait(requests(mod(rank + n, 2)), MPI_STATUS_IGNORE)
  end do
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 7, received, 1, MPI_INTEGER, mod(rank + ranks - 1, ranks), 7, &
                    comms(0), MPI_STATUS_IGNORE)
  call MPI_Allreduce(rank, received, 1, MPI_INTEGER, MPI_SUM, comms(1))
  do n = 0, 1
    call MPI_Comm_free(comms(n))
  end do
  call MPI_Finalize()
end program
