! SPDX-License-Identifier: MIT
! Functions that Open MPI's Fortran library carries out without a call of C's, and its conversions of handles.
      program counted
      implicit none
      include 'mpif.h'
      integer ierr, i, index, keyval, requests(1), value, other
      integer statuses(MPI_STATUS_SIZE, 1)
      logical flag
      integer (kind=MPI_ADDRESS_KIND) bound
      call MPI_Init(ierr)
      do i = 1, 7
        call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
        if (.not. flag) stop 1
      end do
      do i = 1, 5
        call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, bound, flag,
     &                         ierr)
        if (.not. flag) stop 2
      end do
      call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN,
     &     MPI_COMM_NULL_DELETE_FN, keyval, bound, ierr)
      call MPI_Comm_free_keyval(keyval, ierr)
      do i = 1, 3
        call MPI_Waitall(0, requests, statuses, ierr)
        if (ierr .ne. MPI_SUCCESS) stop 3
      end do
      call MPI_Waitany(0, requests, index, statuses, ierr)
      if (index .ne. MPI_UNDEFINED) stop 4
      call MPI_Testall(0, requests, flag, statuses, ierr)
      if (.not. flag) stop 5
      call MPI_Type_contiguous(3, MPI_INTEGER, other, ierr)
      call MPI_Type_free(other, ierr)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      call MPI_Finalize(ierr)
      end program
