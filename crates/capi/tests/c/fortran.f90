! The module of the library, as one of a user's programs has it. Says what is wrong; its status is 1 then.
program fortran
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use numawise_library
  implicit none
  integer :: wrong = 0, status
  type(numawise_machine) :: machine
  type(numawise_placement) :: plan
  real(8), pointer, contiguous :: u(:), field(:, :)
  complex(8), pointer, contiguous :: z(:)
  integer, allocatable :: nodes(:)
  integer(c_int64_t) :: sum
  integer :: k
  character(len=:), allocatable :: text

  machine = numawise_open()
  nodes = numawise_nodes(machine)
  call check(size(nodes) >= 1, "nodes")
  call check(size(numawise_nodes_of_kind(machine, numawise_dram)) >= 1, "nodes of ordinary memory")
  call numawise_allocate(machine, u, 1000 * 1000, "interleave")
  call check(all(abs(u) <= 0), "new elements are zero")
  field(1:1000, 1:1000) => u
  field(3, 2) = 5
  call check(abs(u(1003) - 5) <= 0, "the same memory")
  ! Pages that were only read are nowhere yet.
  u = 1
  sum = 0
  do k = 1, size(nodes)
    sum = sum + numawise_bytes_on(u, nodes(k))
  end do
  call check(sum >= 8000000 .and. sum < 8000000 + 2 * 65536, "all pages are on nodes")
  call numawise_deallocate(u)
  call check(.not. associated(u), "it is gone")
  call numawise_allocate(machine, z, 10, "local")
  z(10) = (1, 2)
  call numawise_deallocate(z)
  call numawise_allocate(machine, u, 10, "bound", status)
  text = numawise_error()
  call check(status == 1 .and. index(text, "bound") > 0 .and. .not. associated(u), "no such policy")
  call numawise_allocate(machine, u, 0, "local", status)
  call check(status == 1, "no elements")
  plan = numawise_plan(machine, "distributed", threads=3, step=1, skip_os_core=.false.)
  call check(numawise_threads(plan) == 3, "threads of the plan")
  call numawise_pin(plan, 1)
  call numawise_free_plan(plan)
  plan = numawise_plan(machine, "somewhere", status=status)
  text = numawise_error()
  call check(status == 1 .and. index(text, "somewhere") > 0, "no such strategy")
  call numawise_close(machine)
  if (wrong > 0) error stop 1

contains

  subroutine check(is, what)
    logical, intent(in) :: is
    character(len=*), intent(in) :: what
    if (is) return
    wrong = wrong + 1
    print *, what, ": ", numawise_error()
  end subroutine
end program
