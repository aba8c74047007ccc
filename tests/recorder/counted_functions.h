// SPDX-License-Identifier: MIT
COUNT(MPI_Init, (int* argc, char*** argv), (argc, argv))
COUNT(MPI_Init_thread, (int* argc, char*** argv, int required, int* provided),
      (argc, argv, required, provided))
COUNT(MPI_Recv,
      (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status),
      (buf, count, datatype, source, tag, comm, status))
COUNT(MPI_Irecv,
      (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request),
      (buf, count, datatype, source, tag, comm, request))
COUNT(MPI_Recv_init,
      (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request),
      (buf, count, datatype, source, tag, comm, request))
COUNT(MPI_Wait, (MPI_Request * request, MPI_Status* status), (request, status))
COUNT(MPI_Waitall, (int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses),
      (count, array_of_requests, array_of_statuses))
COUNT(MPI_Waitany, (int count, MPI_Request array_of_requests[], int* index, MPI_Status* status),
      (count, array_of_requests, index, status))
COUNT(MPI_Waitsome,
      (int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
       MPI_Status array_of_statuses[]),
      (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))
COUNT(MPI_Test, (MPI_Request * request, int* flag, MPI_Status* status), (request, flag, status))
COUNT(MPI_Testall, (int count, MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]),
      (count, array_of_requests, flag, array_of_statuses))
COUNT(MPI_Testany, (int count, MPI_Request array_of_requests[], int* index, int* flag, MPI_Status* status),
      (count, array_of_requests, index, flag, status))
COUNT(MPI_Testsome,
      (int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
       MPI_Status array_of_statuses[]),
      (incount, array_of_requests, outcount, array_of_indices, array_of_statuses))
COUNT(MPI_Request_free, (MPI_Request * request), (request))
COUNT(MPI_Cancel, (MPI_Request * request), (request))
COUNT(MPI_Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status), (source, tag, comm, status))
COUNT(MPI_Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
      (source, tag, comm, flag, status))
COUNT(MPI_Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
      (source, tag, comm, message, status))
COUNT(MPI_Improbe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status),
      (source, tag, comm, flag, message, status))
COUNT(MPI_Mrecv, (void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status),
      (buf, count, type, message, status))
COUNT(MPI_Imrecv, (void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request),
      (buf, count, type, message, request))
COUNT(MPI_Barrier, (MPI_Comm comm), (comm))
COUNT(MPI_Bcast, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm),
      (buffer, count, datatype, root, comm))
COUNT(MPI_Gather,
      (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
       MPI_Datatype recvtype, int root, MPI_Comm comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
COUNT(MPI_Ireduce_scatter,
      (const void* a, void* b, const int* c, MPI_Datatype t, MPI_Op o, MPI_Comm m, MPI_Request* r),
      (a, b, c, t, o, m, r))
COUNT(MPI_Igather,
      (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
       MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request))
COUNT(MPI_Gatherv,
      (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
       const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm))
COUNT(MPI_Scatter,
      (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
       MPI_Datatype recvtype, int root, MPI_Comm comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm))
COUNT(MPI_Scatterv,
      (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf,
       int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
      (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm))
COUNT(MPI_Allgather,
      (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
       MPI_Datatype recvtype, MPI_Comm comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
COUNT(MPI_Allgatherv,
      (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
       const int displs[], MPI_Datatype recvtype, MPI_Comm comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm))
COUNT(MPI_Alltoall,
      (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
       MPI_Datatype recvtype, MPI_Comm comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
COUNT(MPI_Alltoallv,
      (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
       const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm),
      (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm))
COUNT(MPI_Alltoallw,
      (const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
       void* recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
       MPI_Comm comm),
      (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm))
COUNT(MPI_Reduce,
      (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
       MPI_Comm comm),
      (sendbuf, recvbuf, count, datatype, op, root, comm))
COUNT(MPI_Allreduce,
      (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
      (sendbuf, recvbuf, count, datatype, op, comm))
COUNT(MPI_Reduce_scatter,
      (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
       MPI_Comm comm),
      (sendbuf, recvbuf, recvcounts, datatype, op, comm))
COUNT(MPI_Reduce_scatter_block,
      (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
      (sendbuf, recvbuf, recvcount, datatype, op, comm))
COUNT(MPI_Scan,
      (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
      (sendbuf, recvbuf, count, datatype, op, comm))
COUNT(MPI_Exscan,
      (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),
      (sendbuf, recvbuf, count, datatype, op, comm))
COUNT(MPI_Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request))
COUNT(MPI_Ibcast,
      (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request),
      (buffer, count, datatype, root, comm, request))
COUNT(MPI_Iallreduce,
      (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
       MPI_Request* request),
      (sendbuf, recvbuf, count, datatype, op, comm, request))
COUNT(MPI_Iallgather,
      (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
       MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
COUNT(MPI_Neighbor_alltoall,
      (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
       MPI_Datatype recvtype, MPI_Comm comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
COUNT(MPI_Neighbor_allgather,
      (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
       MPI_Datatype recvtype, MPI_Comm comm),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm))
COUNT(MPI_Ineighbor_alltoall,
      (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
       MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request),
      (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request))
COUNT(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* newcomm), (comm, newcomm))
COUNT(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* newcomm), (comm, color, key, newcomm))
COUNT(MPI_Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm),
      (comm, split_type, key, info, newcomm))
COUNT(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm), (comm, group, newcomm))
COUNT(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm),
      (comm, group, tag, newcomm))
COUNT(MPI_Comm_free, (MPI_Comm * comm), (comm))
COUNT(MPI_Comm_idup, (MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request), (comm, newcomm, request))
COUNT(MPI_Cart_create,
      (MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* comm_cart),
      (old_comm, ndims, dims, periods, reorder, comm_cart))
COUNT(MPI_Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm* new_comm),
      (comm, remain_dims, new_comm))
COUNT(MPI_Dist_graph_create_adjacent,
      (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree,
       const int destinations[], const int destweights[], MPI_Info info, int reorder,
       MPI_Comm* comm_dist_graph),
      (comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder,
       comm_dist_graph))
COUNT(MPI_Intercomm_create,
      (MPI_Comm local_comm, int local_leader, MPI_Comm bridge_comm, int remote_leader, int tag,
       MPI_Comm* newintercomm),
      (local_comm, local_leader, bridge_comm, remote_leader, tag, newintercomm))
COUNT(MPI_Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm* newintercomm),
      (intercomm, high, newintercomm))
COUNT(MPI_Win_create, (void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win),
      (base, size, disp_unit, info, comm, win))
COUNT(MPI_Win_allocate,
      (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win),
      (size, disp_unit, info, comm, baseptr, win))
COUNT(MPI_Win_free, (MPI_Win * win), (win))
COUNT(MPI_Win_fence, (int assert, MPI_Win win), (assert, win))
COUNT(MPI_Win_lock, (int lock_type, int rank, int assert, MPI_Win win), (lock_type, rank, assert, win))
COUNT(MPI_Win_unlock, (int rank, MPI_Win win), (rank, win))
COUNT(MPI_Win_lock_all, (int assert, MPI_Win win), (assert, win))
COUNT(MPI_Win_unlock_all, (MPI_Win win), (win))
COUNT(MPI_Win_flush, (int rank, MPI_Win win), (rank, win))
COUNT(MPI_Win_flush_all, (MPI_Win win), (win))
COUNT(MPI_Win_flush_local, (int rank, MPI_Win win), (rank, win))
COUNT(MPI_Win_post, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
COUNT(MPI_Win_start, (MPI_Group group, int assert, MPI_Win win), (group, assert, win))
COUNT(MPI_Win_complete, (MPI_Win win), (win))
COUNT(MPI_Win_wait, (MPI_Win win), (win))
COUNT(MPI_Win_test, (MPI_Win win, int* flag), (win, flag))
COUNT(MPI_Win_sync, (MPI_Win win), (win))
COUNT(MPI_File_open, (MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh),
      (comm, filename, amode, info, fh))
COUNT(MPI_File_close, (MPI_File * fh), (fh))
COUNT(MPI_File_write_at_all,
      (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
      (fh, offset, buf, count, datatype, status))
COUNT(MPI_File_write_at,
      (MPI_File fh, MPI_Offset offset, const void* buf, int count, MPI_Datatype datatype, MPI_Status* status),
      (fh, offset, buf, count, datatype, status))
COUNT(MPI_Abort, (MPI_Comm comm, int errorcode), (comm, errorcode))
