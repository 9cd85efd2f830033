! Loops of Fortran, with and without an order that must be kept.
subroutine scaled(to, from, count)
  integer, intent(in) :: count
  real(8), intent(out) :: to(count)
  real(8), intent(in) :: from(count)
  integer :: i
  do i = 1, count
    to(i) = 2 * from(i)
  end do
end subroutine

subroutine running(of, count)
  integer, intent(in) :: count
  real(8), intent(inout) :: of(count)
  integer :: i
  do i = 2, count
    of(i) = of(i - 1) * 0.5d0 + of(i)
  end do
end subroutine
