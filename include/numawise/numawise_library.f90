! The machine, threads and memory on nodes for Fortran: compile this file with the program (Fortran 2008), and link with -lnumawise.
!
!     use numawise_library
!     type(numawise_machine) :: machine
!     real(8), pointer, contiguous :: u(:), field(:, :)
!     machine = numawise_open()
!     call numawise_allocate(machine, u, nx * ny, "hbm")
!     field(1:nx, 1:ny) => u                               ! of any rank
!     print *, numawise_bytes_on(u, 0)                     ! bytes of its pages on node 0
!     call numawise_deallocate(u)
!     call numawise_close(machine)
!
! Policies are those of `numawise run --memory`: local, bind:0,1, preferred:1, interleave, weighted, hbm, remote. New elements are zero. Each call
! takes an optional `status`, a number of enum numawise_status in numawise.h, 0 where all went well; without it a call that fails stops the program
! with its text (numawise_error). Regions of a program are in the module numawise, which needs no library.
module numawise_library
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: numawise_machine, numawise_placement
  public :: numawise_open, numawise_close, numawise_nodes, numawise_nodes_of_kind, numawise_error
  public :: numawise_plan, numawise_free_plan, numawise_threads, numawise_pin
  public :: numawise_allocate, numawise_deallocate, numawise_bytes_on
  public :: numawise_dram, numawise_hbm, numawise_cxl, numawise_gpu

  integer, parameter :: numawise_dram = 1, numawise_hbm = 2, numawise_cxl = 3, numawise_gpu = 4
  ! Of the header that this file belongs to.
  integer(c_int), parameter :: version = 1
  integer(c_int), parameter :: ok = 0, too_small = 9

  type :: numawise_machine
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  type :: numawise_placement
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! struct numawise_request
  type, bind(c) :: plan_request
    integer(c_size_t) :: size = 0
    type(c_ptr) :: strategy = c_null_ptr
    integer(c_int) :: tasks = 0, threads = 0
    type(c_ptr) :: cpus = c_null_ptr, nodes = c_null_ptr, order = c_null_ptr
    integer(c_int) :: step = 0
    type(c_ptr) :: smt = c_null_ptr, skip = c_null_ptr
    integer(c_int) :: skip_os_core = 0, efficient_cores = 0
  end type

  ! struct numawise_node_bytes
  type, bind(c) :: node_bytes
    integer(c_int) :: node = 0
    integer(c_int64_t) :: bytes = 0
  end type

  !> A new array of so many elements, under a policy.
  interface numawise_allocate
    module procedure allocate_real32, allocate_real64, allocate_int32, allocate_int64, allocate_complex64
  end interface

  !> Gives an array back that numawise_allocate made; the pointer of rank 1, with all of it.
  interface numawise_deallocate
    module procedure deallocate_real32, deallocate_real64, deallocate_int32, deallocate_int64, deallocate_complex64
  end interface

  !> Bytes of the array's pages that lie on a node now.
  interface numawise_bytes_on
    module procedure bytes_on_real32, bytes_on_real64, bytes_on_int32, bytes_on_int64, bytes_on_complex64
  end interface

  interface
    function c_open(of_version, machine) result(status) bind(c, name="numawise_open_version")
      import :: c_int, c_ptr
      integer(c_int), value :: of_version
      type(c_ptr), intent(out) :: machine
      integer(c_int) :: status
    end function
    subroutine c_close(machine) bind(c, name="numawise_close")
      import :: c_ptr
      type(c_ptr), value :: machine
    end subroutine
    function c_nodes(machine, nodes, count) result(status) bind(c, name="numawise_nodes")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: machine
      integer(c_int), intent(out) :: nodes(*)
      integer(c_size_t), intent(inout) :: count
      integer(c_int) :: status
    end function
    function c_nodes_of_kind(machine, kind, nodes, count) result(status) bind(c, name="numawise_nodes_of_kind")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: machine
      integer(c_int), value :: kind
      integer(c_int), intent(out) :: nodes(*)
      integer(c_size_t), intent(inout) :: count
      integer(c_int) :: status
    end function
    function c_error() result(text) bind(c, name="numawise_error_text")
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function c_length(text) result(length) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
    function c_plan(machine, request, placement) result(status) bind(c, name="numawise_plan")
      import :: c_int, c_ptr, plan_request
      type(c_ptr), value :: machine
      type(plan_request), intent(in) :: request
      type(c_ptr), intent(out) :: placement
      integer(c_int) :: status
    end function
    subroutine c_placement_free(placement) bind(c, name="numawise_placement_free")
      import :: c_ptr
      type(c_ptr), value :: placement
    end subroutine
    function c_placement_threads(placement, task, threads) result(status) bind(c, name="numawise_placement_threads")
      import :: c_int, c_ptr
      type(c_ptr), value :: placement
      integer(c_int), value :: task
      integer(c_int), intent(out) :: threads
      integer(c_int) :: status
    end function
    function c_pin(placement, task, thread, tid) result(status) bind(c, name="numawise_pin")
      import :: c_int, c_ptr
      type(c_ptr), value :: placement
      integer(c_int), value :: task, thread, tid
      integer(c_int) :: status
    end function
    function c_alloc(machine, bytes, policy, memory) result(status) bind(c, name="numawise_alloc")
      import :: c_char, c_int, c_ptr, c_size_t
      type(c_ptr), value :: machine
      integer(c_size_t), value :: bytes
      character(kind=c_char), intent(in) :: policy(*)
      type(c_ptr), intent(out) :: memory
      integer(c_int) :: status
    end function
    function c_free(memory, bytes) result(status) bind(c, name="numawise_free")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: memory
      integer(c_size_t), value :: bytes
      integer(c_int) :: status
    end function
    function c_pages(start, bytes, nodes, count, absent) result(status) bind(c, name="numawise_pages")
      import :: c_int, c_int64_t, c_ptr, c_size_t, node_bytes
      type(c_ptr), value :: start
      integer(c_size_t), value :: bytes
      type(node_bytes), intent(inout) :: nodes(*)
      integer(c_size_t), intent(inout) :: count
      integer(c_int64_t), intent(out) :: absent
      integer(c_int) :: status
    end function
  end interface

contains

  !> The text of the last call of this thread that failed.
  function numawise_error() result(text)
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: found(:)
    integer :: k, length
    type(c_ptr) :: at
    at = c_error()
    length = int(c_length(at))
    allocate (character(len=length) :: text)
    if (length == 0) return
    call c_f_pointer(at, found, [length])
    do k = 1, length
      text(k:k) = found(k)
    end do
  end function

  subroutine finish(found, status)
    integer(c_int), intent(in) :: found
    integer, intent(out), optional :: status
    if (present(status)) then
      status = found
    else if (found /= ok) then
      write (error_unit, "(a)") "numawise: " // numawise_error()
      error stop 1
    end if
  end subroutine

  !> The machine as this process may use it.
  function numawise_open(status) result(machine)
    integer, intent(out), optional :: status
    type(numawise_machine) :: machine
    call finish(c_open(version, machine%handle), status)
  end function

  subroutine numawise_close(machine)
    type(numawise_machine), intent(inout) :: machine
    call c_close(machine%handle)
    machine%handle = c_null_ptr
  end subroutine

  !> The numbers of all nodes.
  function numawise_nodes(machine, status) result(nodes)
    type(numawise_machine), intent(in) :: machine
    integer, intent(out), optional :: status
    integer(c_int), allocatable :: nodes(:)
    nodes = listed(machine, status=status)
  end function

  !> Those of a kind of memory from which this process may take some.
  function numawise_nodes_of_kind(machine, kind, status) result(nodes)
    type(numawise_machine), intent(in) :: machine
    integer, intent(in) :: kind
    integer, intent(out), optional :: status
    integer(c_int), allocatable :: nodes(:)
    nodes = listed(machine, kind, status)
  end function

  function listed(machine, kind, status) result(nodes)
    type(numawise_machine), intent(in) :: machine
    integer, intent(in), optional :: kind
    integer, intent(out), optional :: status
    integer(c_int), allocatable :: nodes(:)
    integer(c_int) :: found
    integer(c_size_t) :: count
    count = 64
    do
      if (allocated(nodes)) deallocate (nodes)
      allocate (nodes(count))
      if (present(kind)) then
        found = c_nodes_of_kind(machine%handle, int(kind, c_int), nodes, count)
      else
        found = c_nodes(machine%handle, nodes, count)
      end if
      if (found /= too_small) exit
    end do
    nodes = nodes(:merge(int(count), 0, found == ok))
    call finish(found, status)
  end function

  !> CPUs for threads: strategies and orders as `numawise run` takes them.
  function numawise_plan(machine, strategy, threads, step, skip_os_core, status) result(placement)
    type(numawise_machine), intent(in) :: machine
    character(len=*), intent(in) :: strategy
    integer, intent(in), optional :: threads, step
    logical, intent(in), optional :: skip_os_core
    integer, intent(out), optional :: status
    type(numawise_placement) :: placement
    type(plan_request) :: request
    character(kind=c_char, len=:), allocatable, target :: text
    text = trim(strategy) // c_null_char
    request%size = c_sizeof(request)
    request%strategy = c_loc(text)
    if (present(threads)) request%threads = int(threads, c_int)
    if (present(step)) request%step = int(step, c_int)
    if (present(skip_os_core)) request%skip_os_core = merge(1_c_int, 0_c_int, skip_os_core)
    call finish(c_plan(machine%handle, request, placement%handle), status)
  end function

  subroutine numawise_free_plan(placement)
    type(numawise_placement), intent(inout) :: placement
    call c_placement_free(placement%handle)
    placement%handle = c_null_ptr
  end subroutine

  !> Threads with CPUs of their own.
  function numawise_threads(placement, status) result(threads)
    type(numawise_placement), intent(in) :: placement
    integer, intent(out), optional :: status
    integer(c_int) :: threads
    threads = 0
    call finish(c_placement_threads(placement%handle, 0_c_int, threads), status)
  end function

  !> Binds the calling thread as the plan has it; threads are counted from 0, as OpenMP counts them.
  subroutine numawise_pin(placement, thread, status)
    type(numawise_placement), intent(in) :: placement
    integer, intent(in) :: thread
    integer, intent(out), optional :: status
    call finish(c_pin(placement%handle, 0_c_int, int(thread, c_int), 0_c_int), status)
  end subroutine

  subroutine memory_of(machine, bytes, policy, memory, status)
    type(numawise_machine), intent(in) :: machine
    integer(c_size_t), intent(in) :: bytes
    character(len=*), intent(in) :: policy
    type(c_ptr), intent(out) :: memory
    integer(c_int), intent(out) :: status
    memory = c_null_ptr
    status = c_alloc(machine%handle, bytes, trim(policy) // c_null_char, memory)
  end subroutine

  function on_node(start, bytes, node, status) result(sum)
    type(c_ptr), intent(in) :: start
    integer(c_size_t), intent(in) :: bytes
    integer, intent(in) :: node
    integer(c_int), intent(out) :: status
    integer(c_int64_t) :: sum, absent
    type(node_bytes), allocatable :: found(:)
    integer(c_size_t) :: count
    integer :: k
    count = 64
    sum = 0
    do
      if (allocated(found)) deallocate (found)
      allocate (found(count))
      status = c_pages(start, bytes, found, count, absent)
      if (status /= too_small) exit
    end do
    if (status /= ok) return
    do k = 1, int(count)
      if (found(k)%node == node) sum = found(k)%bytes
    end do
  end function

  subroutine allocate_real32(machine, array, count, policy, status)
    type(numawise_machine), intent(in) :: machine
    real(c_float), pointer, contiguous, intent(out) :: array(:)
    integer, intent(in) :: count
    character(len=*), intent(in) :: policy
    integer, intent(out), optional :: status
    type(c_ptr) :: memory
    integer(c_int) :: found
    array => null()
    call memory_of(machine, 4_c_size_t * max(0, count), policy, memory, found)
    if (found == ok) call c_f_pointer(memory, array, [count])
    call finish(found, status)
  end subroutine
  subroutine deallocate_real32(array, status)
    real(c_float), pointer, contiguous, intent(inout) :: array(:)
    integer, intent(out), optional :: status
    call finish(c_free(c_loc(array), 4_c_size_t * size(array, kind=c_size_t)), status)
    array => null()
  end subroutine
  function bytes_on_real32(array, node, status) result(bytes)
    real(c_float), pointer, contiguous, intent(in) :: array(:)
    integer, intent(in) :: node
    integer, intent(out), optional :: status
    integer(c_int64_t) :: bytes
    integer(c_int) :: found
    bytes = on_node(c_loc(array), 4_c_size_t * size(array, kind=c_size_t), node, found)
    call finish(found, status)
  end function
  subroutine allocate_real64(machine, array, count, policy, status)
    type(numawise_machine), intent(in) :: machine
    real(c_double), pointer, contiguous, intent(out) :: array(:)
    integer, intent(in) :: count
    character(len=*), intent(in) :: policy
    integer, intent(out), optional :: status
    type(c_ptr) :: memory
    integer(c_int) :: found
    array => null()
    call memory_of(machine, 8_c_size_t * max(0, count), policy, memory, found)
    if (found == ok) call c_f_pointer(memory, array, [count])
    call finish(found, status)
  end subroutine
  subroutine deallocate_real64(array, status)
    real(c_double), pointer, contiguous, intent(inout) :: array(:)
    integer, intent(out), optional :: status
    call finish(c_free(c_loc(array), 8_c_size_t * size(array, kind=c_size_t)), status)
    array => null()
  end subroutine
  function bytes_on_real64(array, node, status) result(bytes)
    real(c_double), pointer, contiguous, intent(in) :: array(:)
    integer, intent(in) :: node
    integer, intent(out), optional :: status
    integer(c_int64_t) :: bytes
    integer(c_int) :: found
    bytes = on_node(c_loc(array), 8_c_size_t * size(array, kind=c_size_t), node, found)
    call finish(found, status)
  end function
  subroutine allocate_int32(machine, array, count, policy, status)
    type(numawise_machine), intent(in) :: machine
    integer(c_int32_t), pointer, contiguous, intent(out) :: array(:)
    integer, intent(in) :: count
    character(len=*), intent(in) :: policy
    integer, intent(out), optional :: status
    type(c_ptr) :: memory
    integer(c_int) :: found
    array => null()
    call memory_of(machine, 4_c_size_t * max(0, count), policy, memory, found)
    if (found == ok) call c_f_pointer(memory, array, [count])
    call finish(found, status)
  end subroutine
  subroutine deallocate_int32(array, status)
    integer(c_int32_t), pointer, contiguous, intent(inout) :: array(:)
    integer, intent(out), optional :: status
    call finish(c_free(c_loc(array), 4_c_size_t * size(array, kind=c_size_t)), status)
    array => null()
  end subroutine
  function bytes_on_int32(array, node, status) result(bytes)
    integer(c_int32_t), pointer, contiguous, intent(in) :: array(:)
    integer, intent(in) :: node
    integer, intent(out), optional :: status
    integer(c_int64_t) :: bytes
    integer(c_int) :: found
    bytes = on_node(c_loc(array), 4_c_size_t * size(array, kind=c_size_t), node, found)
    call finish(found, status)
  end function
  subroutine allocate_int64(machine, array, count, policy, status)
    type(numawise_machine), intent(in) :: machine
    integer(c_int64_t), pointer, contiguous, intent(out) :: array(:)
    integer, intent(in) :: count
    character(len=*), intent(in) :: policy
    integer, intent(out), optional :: status
    type(c_ptr) :: memory
    integer(c_int) :: found
    array => null()
    call memory_of(machine, 8_c_size_t * max(0, count), policy, memory, found)
    if (found == ok) call c_f_pointer(memory, array, [count])
    call finish(found, status)
  end subroutine
  subroutine deallocate_int64(array, status)
    integer(c_int64_t), pointer, contiguous, intent(inout) :: array(:)
    integer, intent(out), optional :: status
    call finish(c_free(c_loc(array), 8_c_size_t * size(array, kind=c_size_t)), status)
    array => null()
  end subroutine
  function bytes_on_int64(array, node, status) result(bytes)
    integer(c_int64_t), pointer, contiguous, intent(in) :: array(:)
    integer, intent(in) :: node
    integer, intent(out), optional :: status
    integer(c_int64_t) :: bytes
    integer(c_int) :: found
    bytes = on_node(c_loc(array), 8_c_size_t * size(array, kind=c_size_t), node, found)
    call finish(found, status)
  end function
  subroutine allocate_complex64(machine, array, count, policy, status)
    type(numawise_machine), intent(in) :: machine
    complex(c_double_complex), pointer, contiguous, intent(out) :: array(:)
    integer, intent(in) :: count
    character(len=*), intent(in) :: policy
    integer, intent(out), optional :: status
    type(c_ptr) :: memory
    integer(c_int) :: found
    array => null()
    call memory_of(machine, 16_c_size_t * max(0, count), policy, memory, found)
    if (found == ok) call c_f_pointer(memory, array, [count])
    call finish(found, status)
  end subroutine
  subroutine deallocate_complex64(array, status)
    complex(c_double_complex), pointer, contiguous, intent(inout) :: array(:)
    integer, intent(out), optional :: status
    call finish(c_free(c_loc(array), 16_c_size_t * size(array, kind=c_size_t)), status)
    array => null()
  end subroutine
  function bytes_on_complex64(array, node, status) result(bytes)
    complex(c_double_complex), pointer, contiguous, intent(in) :: array(:)
    integer, intent(in) :: node
    integer, intent(out), optional :: status
    integer(c_int64_t) :: bytes
    integer(c_int) :: found
    bytes = on_node(c_loc(array), 16_c_size_t * size(array, kind=c_size_t), node, found)
    call finish(found, status)
  end function
end module numawise_library
