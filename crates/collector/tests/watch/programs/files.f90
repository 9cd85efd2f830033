! Writes a record and lines, and reads the record.
program files
    implicit none
    real(8) :: values(10000)
    integer :: k
    values = 1
    open (10, file='u', form='unformatted', status='replace')
    write (10) values
    close (10)
    open (10, file='u', form='unformatted', status='old')
    read (10) values
    close (10)
    open (11, file='l', status='replace')
    do k = 1, 100
        write (11, '(i10)') k
    end do
    close (11)
    if (sum(values) /= 10000) stop 1
end program
