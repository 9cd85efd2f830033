! Procedures of Fortran: arrays that are allocated, temporaries, internal procedures, input and output to text.
module grids
  implicit none
  double precision, save :: field(2048)
contains
  recursive integer function depth(n) result(d)
    integer, intent(in) :: n
    if (n == 0) then
      d = 0
    else
      d = 1 + depth(n - 1)
    end if
  end function
  subroutine smooth(a, n)
    integer, intent(in) :: n
    double precision, intent(inout) :: a(:, :)
    double precision :: t(n, n)
    t = matmul(a, transpose(a))
    a = t / (1.0d0 + maxval(t))
  end subroutine
end module

subroutine work() bind(c)
  use grids
  implicit none
  double precision, allocatable :: a(:, :)
  character(len=80) :: line
  integer :: k
  real :: shared(1000), t(900)
  common /state/ shared
  save t
  shared(3) = 4
  t(5) = shared(3)
  allocate (a(7, 7))
  call random_number(a)
  call smooth(a, 7)
  k = depth(9)
  write (line, '(i5, f12.4)') k, a(3, 3)
  field(1:7) = a(:, 2)
  call inner()
  deallocate (a)
contains
  subroutine inner()
    field(8) = sum(a) + len_trim(line)
  end subroutine
end subroutine

program frames
  interface
    subroutine stepped_run() bind(c)
    end subroutine
  end interface
  call stepped_run()
end program
