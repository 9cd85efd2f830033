! The messages of late.c with mpi_f08: one that is received, and one of which the receiver waits for the request. The argument is how late they are.
program late
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_int, c_long
  implicit none
  type, bind(c) :: timespec
    integer(c_long) :: seconds, nanoseconds
  end type
  interface
    integer(c_int) function clock_gettime(clock, time) bind(c)
      import c_int, timespec
      integer(c_int), value :: clock
      type(timespec), intent(out) :: time
    end function
    integer(c_int) function usleep(microseconds) bind(c)
      import c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  integer :: rank, x(1)
  real(8) :: seconds, begun
  character(32) :: word
  type(MPI_Request) :: request
  call get_command_argument(1, word)
  read (word, *) seconds
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  x = 7
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) then
    call sleep_for(seconds)
    begun = now()
    call MPI_Send(x, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
    call tell(0)
    call sleep_for(seconds)
    begun = now()
    call MPI_Send(x, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD)
    call tell(1)
  else if (rank == 1) then
    begun = now()
    call MPI_Recv(x, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call tell(0)
    call MPI_Irecv(x, 1, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, request)
    begun = now()
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call tell(1)
  end if
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Finalize()
contains
  real(8) function now()
    type(timespec) :: time
    integer(c_int) :: ignored
    ignored = clock_gettime(1_c_int, time)
    now = real(time%seconds, 8) + 1d-9*real(time%nanoseconds, 8)
  end function
  subroutine sleep_for(time)
    real(8), intent(in) :: time
    integer(c_int) :: ignored
    ignored = usleep(int(1d6*time, c_int))
  end subroutine
  subroutine tell(number)
    integer, intent(in) :: number
    real(8) :: ended
    ended = now()
    print '(a,i0,a,i0,a,f0.9,a,f0.9)', 'late ', rank, ' ', number, ' ', begun, ' ', ended
  end subroutine
end program
