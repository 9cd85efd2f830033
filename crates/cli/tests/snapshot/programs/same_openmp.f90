! Loops, a task, a critical section and a reduction of OpenMP in Fortran.
program same
  use omp_lib
  implicit none
  integer :: k
  real(8) :: total, cells(1000)
  integer :: entered
  entered = 0
  total = 0
!$omp parallel do schedule(dynamic, 7) reduction(+:total) num_threads(3)
  do k = 1, 1000
    cells(k) = k
    total = total + cells(k)
  end do
!$omp parallel num_threads(3)
!$omp critical
  entered = entered + 1
!$omp end critical
!$omp single
!$omp task
  cells(1) = -1
!$omp end task
!$omp end single
!$omp workshare
  cells = cells * 2
!$omp end workshare
!$omp end parallel
  print '(f10.1, f10.1, i3)', total, cells(1000), entered
end program
