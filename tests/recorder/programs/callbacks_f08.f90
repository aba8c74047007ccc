! SPDX-License-Identifier: MIT
! Calls of MPI in an attribute's delete function, also within MPI_Finalize, and in an error handler.
module functions
  use mpi_f08
  implicit none
contains
  subroutine deletes(comm, key, value, extra, ierror)
    type(MPI_Comm) :: comm
    integer :: key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine
  subroutine handles(comm, error)
    type(MPI_Comm) :: comm
    integer :: error
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine
end module
program callbacks
  use functions
  implicit none
  type(MPI_Comm) :: comm
  type(MPI_Errhandler) :: handler
  integer :: key
  integer(kind=MPI_ADDRESS_KIND) :: nothing = 0
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deletes, key, nothing)
  call MPI_Comm_set_attr(comm, key, nothing)
  call MPI_Comm_set_attr(MPI_COMM_SELF, key, nothing)
  call MPI_Comm_create_errhandler(handles, handler)
  call MPI_Comm_set_errhandler(comm, handler)
  call MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER)
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program
