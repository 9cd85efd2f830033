! The program of known_mpi.c in Fortran, with mpif.h, use mpi or use mpi_f08 as -DLANGUAGE=1, 2 or 3 says.
program known
#if LANGUAGE == 3
  use mpi_f08
#elif LANGUAGE == 2
  use mpi
#endif
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
#if LANGUAGE == 1
  include 'mpif.h'
#endif
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  integer(c_int), parameter :: unit = 100000
  integer :: rank, ierror, word
  integer(c_int) :: slept
  real(8) :: begun, before, in_mpi, elapsed
  word = 0
  call MPI_Init(ierror)
  begun = now()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  in_mpi = now() - begun
  if (rank == 0) then
    slept = usleep(unit)
    before = now()
    call MPI_Send(word, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierror)
    in_mpi = in_mpi + now() - before
    slept = usleep(unit)
    before = now()
    call MPI_Recv(word, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    in_mpi = in_mpi + now() - before
  else
    before = now()
    call MPI_Recv(word, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    in_mpi = in_mpi + now() - before
    slept = usleep(3 * unit)
    before = now()
    call MPI_Send(word, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
    in_mpi = in_mpi + now() - before
  end if
  elapsed = now() - begun
  call MPI_Finalize(ierror)
  print '(i0, 3f12.6)', rank, elapsed - in_mpi, in_mpi, elapsed
contains
  real(8) function now()
    integer(int64) :: count, rate
    call system_clock(count, rate)
    now = real(count, 8) / real(rate, 8)
  end function
end program
