! SPDX-License-Identifier: MIT
! Wildcard receives whose statuses are ignored or used, Waitany, a persistent request, a communicator
! made by a split, and a window, with the module mpi_f08.
program wildcards
  use mpi_f08
  implicit none
  integer :: rank, ranks, n, done, values(4), sum_of, expected
  type(MPI_Request) :: requests(4), again
  type(MPI_Status) :: status
  type(MPI_Comm) :: half
  type(MPI_Win) :: win
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  values = rank
  if (rank == 0) then
    do n = 1, ranks - 1
      call MPI_Irecv(values(n), 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(n))
    end do
    do n = 1, ranks - 1
      call MPI_Waitany(ranks - 1, requests, done, MPI_STATUS_IGNORE)
    end do
    sum_of = sum(values(1:ranks - 1))
    expected = ranks * (ranks - 1) / 2
    if (sum_of /= expected) call MPI_Abort(MPI_COMM_WORLD, 4)
    call MPI_Barrier(MPI_COMM_WORLD)
    do n = 1, ranks - 1
      call MPI_Recv(values, 4, MPI_INTEGER, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, status)
      if (status%MPI_SOURCE < 1) call MPI_Abort(MPI_COMM_WORLD, 5)
    end do
  else
    call MPI_Send(values, 1, MPI_INTEGER, 0, rank, MPI_COMM_WORLD)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Send_init(values, 2, MPI_INTEGER, 0, 8, MPI_COMM_WORLD, again)
    call MPI_Start(again)
    call MPI_Wait(again, MPI_STATUS_IGNORE)
    call MPI_Request_free(again)
  end if
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
  call MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INTEGER, MPI_MAX, half)
  call MPI_Comm_free(half)
  call MPI_Win_create(values, int(16, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  call MPI_Put(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), int(0, MPI_ADDRESS_KIND), 1, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call MPI_Win_free(win)
  call MPI_Finalize()
end program
