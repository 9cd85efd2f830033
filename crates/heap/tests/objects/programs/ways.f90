! Allocates an array twice, and lets one grow.
program ways
  implicit none
  real(8), allocatable :: field(:)
  integer :: round
  do round = 1, 2
    allocate(field(100000))
    field = 1.0d0
    deallocate(field)
  end do
  field = [1.0d0, 2.0d0]
  do round = 1, 15
    field = [field, field]
  end do
  print *, size(field)
end program ways
