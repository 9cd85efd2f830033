! Fortran as programs have it: formatted output, a scratch file, an error of the runtime, a status of its own.
program same
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  character(len=16) :: way
  real(8) :: numbers(5)
  integer :: unit, k
  way = 'stop'
  if (command_argument_count() > 0) call get_command_argument(1, way)
  numbers = [(sqrt(real(k, 8)), k = 1, 5)]
  open(newunit=unit, status='scratch', form='unformatted')
  write(unit) numbers
  rewind(unit)
  numbers = 0
  read(unit) numbers
  print '(5f12.8)', numbers
  write(error_unit, '(a)') 'on the other stream'
  select case (way)
  case ('error')
    error stop 9
  case ('runtime')
    open(newunit=unit, file='/nonexistent/file', status='old')
  case default
    stop 6
  end select
end program
