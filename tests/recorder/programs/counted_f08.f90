! SPDX-License-Identifier: MIT
! What counted_mpif.f does, with mpi_f08, as far as that has these functions.
program counted
  use mpi_f08
  implicit none
  integer :: i, index
  type(MPI_Request) :: requests(1)
  type(MPI_Datatype) :: other
  logical :: flag
  integer(kind=MPI_ADDRESS_KIND) :: bound
  call MPI_Init()
  do i = 1, 5
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, bound, flag)
    if (.not. flag) stop 2
  end do
  do i = 1, 3
    call MPI_Waitall(0, requests, MPI_STATUSES_IGNORE)
  end do
  call MPI_Waitany(0, requests, index, MPI_STATUS_IGNORE)
  if (index .ne. MPI_UNDEFINED) stop 4
  call MPI_Testall(0, requests, flag, MPI_STATUSES_IGNORE)
  if (.not. flag) stop 5
  call MPI_Type_contiguous(3, MPI_INTEGER, other)
  call MPI_Type_free(other)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
end program
