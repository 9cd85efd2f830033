! arrays: arrays as Fortran has them, each used alone by two threads: allocatable, of a module, of a COMMON block, of a derived type.
module accounts
  use iso_c_binding
  implicit none
  interface
    subroutine account_begin() bind(c)
    end subroutine
    function account_object(name, kind, file, line) bind(c)
      import
      character(kind=c_char), intent(in) :: name(*), kind(*), file(*)
      integer(c_int), value :: line
      integer(c_int) :: account_object
    end function
    subroutine account_thread(number) bind(c)
      import
      integer(c_int), value :: number
    end subroutine
    function account_clock() bind(c)
      import
      real(c_double) :: account_clock
    end function
    function account_seconds() bind(c)
      import
      real(c_double) :: account_seconds
    end function
    subroutine account_use(object, seconds, reads) bind(c)
      import
      integer(c_int), value :: object
      real(c_double), value :: seconds, reads
    end subroutine
    subroutine account_touch(object, bytes) bind(c)
      import
      integer(c_int), value :: object
      real(c_double), value :: bytes
    end subroutine
    subroutine account_print(loops) bind(c)
      import
      character(kind=c_char), intent(in) :: loops(*)
    end subroutine
  end interface
end module

module fields
  implicit none
  integer, parameter :: n = 2**22
  real(8) :: pressure(n); integer, parameter :: line_of_pressure = __LINE__
  type grid
    real(8), allocatable :: cells(:)
  end type
end module

module loops
  use accounts
  implicit none
contains
  ! Reads `values` at random until so many seconds have been used.
  subroutine use_for(values, n, object, seconds, x, total)
    integer, intent(in) :: n
    real(8), intent(in) :: values(n)
    integer(c_int), intent(in) :: object
    real(8), intent(in) :: seconds
    integer(8), intent(inout) :: x
    real(8), intent(inout) :: total
    real(8) :: begun
    begun = account_clock()
    do while (account_clock() < begun + seconds)
      call at_random(values, n, x, total)
    end do
    call account_use(object, account_clock() - begun, 1d0)
  end subroutine

  subroutine at_random(values, n, x, total)
    integer, intent(in) :: n
    real(8), intent(in) :: values(n)
    integer(8), intent(inout) :: x
    real(8), intent(inout) :: total
    integer :: k
    do k = 1, 20000
      x = x * 6364136223846793005_8 + 1442695040888963407_8
      total = total + values(iand(int(ishft(x, -24)), n - 1) + 1)
    end do
  end subroutine
end module

program arrays
  use omp_lib
  use accounts
  use fields
  use loops
  implicit none
  real(8) :: velocity(n)
  common /flow/ velocity; integer, parameter :: line_of_flow = __LINE__
  real(8), allocatable :: density(:)
  type(grid) :: mesh
  integer(c_int) :: of_density, of_mesh, of_pressure, of_velocity
  integer :: turn, me
  integer(8) :: x
  real(8) :: seconds, total

  call account_begin()
  call omp_set_num_threads(2)
  !$omp parallel
  call account_thread(omp_get_thread_num())
  !$omp end parallel
  allocate(density(n)); of_density = account_object('density'//c_null_char, 'heap'//c_null_char, 'arrays.f90'//c_null_char, __LINE__)
  allocate(mesh%cells(n)); of_mesh = account_object('cells'//c_null_char, 'heap'//c_null_char, 'arrays.f90'//c_null_char, __LINE__)
  of_pressure = account_object('pressure'//c_null_char, 'global'//c_null_char, 'arrays.f90'//c_null_char, line_of_pressure)
  of_velocity = account_object('flow'//c_null_char, 'global'//c_null_char, 'arrays.f90'//c_null_char, line_of_flow)
  density = 1d0
  pressure = 1d0
  call account_touch(of_density, 8d0 * n)
  call account_touch(of_pressure, 8d0 * n)
  !$omp parallel private(me)
  me = omp_get_thread_num()
  mesh%cells(me * (n / 2) + 1 : (me + 1) * (n / 2)) = 1d0
  call account_touch(of_mesh, 4d0 * n)
  velocity(me * (n / 2) + 1 : (me + 1) * (n / 2)) = 1d0
  call account_touch(of_velocity, 4d0 * n)
  !$omp end parallel
  seconds = account_seconds() / 4
  total = 0
  !$omp parallel private(turn, x, me) reduction(+:total)
  me = omp_get_thread_num()
  x = me + 1
  do turn = 1, 4
    call use_for(density, n, of_density, merge(0.4d0, 0.1d0, me == 0) * seconds, x, total)
    call use_for(mesh%cells, n, of_mesh, 0.2d0 * seconds, x, total)
    call use_for(pressure, n, of_pressure, merge(0.3d0, 0.2d0, me == 0) * seconds, x, total)
    call use_for(velocity, n, of_velocity, merge(0.1d0, 0.5d0, me == 0) * seconds, x, total)
  end do
  !$omp end parallel
  if (total < 0) stop 1
  call account_print('separable'//c_null_char)
end program
