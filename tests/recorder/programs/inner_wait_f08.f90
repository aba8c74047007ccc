! SPDX-License-Identifier: MIT
! A wait inside a wait: a receive inside gets the handle of one that the outer wait has completed.
module functions
  use mpi_f08
  implicit none
contains
  subroutine queries(extra, status, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    type(MPI_Status) :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_BYTE, 0)
    call MPI_Status_set_cancelled(status, .false.)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine frees(extra, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: ierror
    integer :: sent, received
    type(MPI_Request) :: receive, send
    type(MPI_Status) :: status
    sent = 7
    call MPI_Irecv(received, 1, MPI_INTEGER, 0, 77, MPI_COMM_SELF, receive)
    call MPI_Isend(sent, 1, MPI_INTEGER, 0, 77, MPI_COMM_SELF, send)
    call MPI_Wait(receive, status)
    call MPI_Wait(send, status)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine cancels(extra, is_complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: is_complete
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine
end module
program inner_wait
  use functions
  implicit none
  type(MPI_Request) :: requests(3)
  type(MPI_Status) :: statuses(3)
  integer :: n, rank, ranks, received(1000)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  do n = 1, 10
    call MPI_Irecv(received, 1000, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1))
    call MPI_Grequest_start(queries, frees, cancels, 0_MPI_ADDRESS_KIND, requests(2))
    call MPI_Isend(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), n, MPI_COMM_WORLD, requests(3))
    call MPI_Grequest_complete(requests(2))
    call MPI_Waitall(3, requests, statuses)
    call MPI_Barrier(MPI_COMM_WORLD)
  end do
  call MPI_Finalize()
end program
