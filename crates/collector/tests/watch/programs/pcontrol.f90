program pcontrol
  use mpi
  implicit none
  integer :: error
  call mpi_init(error)
  call mpi_pcontrol(7)
  call mpi_barrier(MPI_COMM_WORLD, error)
  call mpi_pcontrol(1)
  call mpi_finalize(error)
  print *, "done"
end program
