      program header
      include 'mpif.h'
      integer ierr, r
      double precision x, y
      character*80 b
      call MPI_Init(ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, r, ierr)
      x = r
      b = ' '
      call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM,
     &  MPI_COMM_WORLD, ierr)
      call MPI_Bcast(MPI_BOTTOM, 0, MPI_INTEGER, 0, MPI_COMM_WORLD,
     &  ierr)
      if (r .eq. 0) call MPI_Send(b, 80, MPI_CHARACTER, 1, 1,
     &  MPI_COMM_WORLD, ierr)
      if (r .eq. 1) call MPI_Recv(b, 80, MPI_CHARACTER, 0, 1,
     &  MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      print *, 'sum', y
      call MPI_Finalize(ierr)
      end
