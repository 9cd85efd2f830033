program phases
  use numawise
  implicit none
  integer :: k
  character(len=20) :: name
  name = "with blanks"
  do k = 1, 5
    call numawise_region_begin("solve")
    call numawise_region_begin(name)
    call numawise_region_end(name)
    call numawise_region_end("solve")
  end do
  print *, "done"
end program
