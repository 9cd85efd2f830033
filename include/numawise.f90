! Names parts of a program for `numawise snapshot`, for Fortran: compile this file with the program (Fortran 2003).
!
!     use numawise
!     call numawise_region_begin("solve")
!     ...
!     call numawise_region_end("solve")
!
! Nothing is done where numawise does not watch: the first call asks the loader, later ones compare a word. Blanks at the end of a name
! do not count. Where dlsym is not in the C library (before glibc 2.34), link with -ldl.
module numawise
  use, intrinsic :: iso_c_binding, only: c_char, c_funptr, c_intptr_t, c_null_char, c_null_ptr, c_ptr, c_f_procpointer
  implicit none
  private
  public :: numawise_region_begin, numawise_region_end

  ! The function of the collector; 0: not looked for yet, 1: not there.
  integer(c_intptr_t), volatile, save :: begins = 0, ends = 0

  abstract interface
    subroutine region_function(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
  end interface

  interface
    function find_symbol(handle, name) result(found) bind(c, name="dlsym")
      import :: c_char, c_intptr_t, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      integer(c_intptr_t) :: found
    end function
  end interface

contains

  subroutine numawise_region_begin(name)
    character(len=*), intent(in) :: name
    if (begins == 0) begins = looked_up("numawise_collector_region_begin")
    if (begins /= 1) call call_with(begins, name)
  end subroutine

  subroutine numawise_region_end(name)
    character(len=*), intent(in) :: name
    if (ends == 0) ends = looked_up("numawise_collector_region_end")
    if (ends /= 1) call call_with(ends, name)
  end subroutine

  function looked_up(symbol) result(found)
    character(len=*), intent(in) :: symbol
    integer(c_intptr_t) :: found
    found = find_symbol(c_null_ptr, symbol // c_null_char)
    if (found == 0) found = 1
  end function

  subroutine call_with(address, name)
    integer(c_intptr_t), intent(in) :: address
    character(len=*), intent(in) :: name
    type(c_funptr) :: pointer
    procedure(region_function), pointer :: region
    pointer = transfer(address, pointer)
    call c_f_procpointer(pointer, region)
    call region(trim(name) // c_null_char)
  end subroutine

end module
