//! Memory of every kind, each of an amount of its own, so that a mix-up shows.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::ptr;

const MIB: usize = 1 << 20;

/// 3 MiB of heap, 5 MiB of stack, 7 MiB private, 11 MiB of a file of which 2 MiB are written to, 13 MiB of shared memory
/// (5 anonymous, 4 of a memfd, 4 in /dev/shm), and with `huge` 2 pages of hugetlbfs.
pub fn make(huge: bool) {
    // SAFETY: the break is raised and never lowered; nothing else of this program relies on where it is.
    let heap = unsafe { libc::sbrk((3 * MIB) as isize) };
    assert_ne!(heap, usize::MAX as *mut _, "no heap");
    write(heap.cast(), 3);
    use_stack(5);
    write(map(7, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1), 7);
    file(11, 2);
    write(map(5, libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1), 5);
    // SAFETY: the name ends with a zero byte.
    memory_file(unsafe { libc::memfd_create(c"kinds".as_ptr(), 0) }, 4);
    shared_file(4);
    if huge {
        let huge = map(4, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_HUGETLB, -1);
        write(huge, 4);
    }
}

fn map(mib: usize, flags: i32, fd: i32) -> *mut u8 {
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address of the kernel's choice harms nothing that is there.
    let memory = unsafe { libc::mmap(ptr::null_mut(), mib * MIB, rights, flags, fd, 0) };
    assert_ne!(memory, libc::MAP_FAILED, "no memory: {}", std::io::Error::last_os_error());
    memory.cast()
}

fn write(memory: *mut u8, mib: usize) {
    for at in (0..mib * MIB).step_by(4096) {
        // SAFETY: `at` is below the length of the memory.
        unsafe { memory.add(at).write_volatile(1) };
    }
}

/// Goes down the stack of the main thread and comes back: the pages stay.
#[inline(never)]
fn use_stack(mib: usize) {
    let mut piece = [0u8; MIB];
    write(piece.as_mut_ptr(), 1);
    if mib > 1 {
        use_stack(mib - 1);
    }
    std::hint::black_box(&mut piece);
}

/// Reads all of a file and writes to the first `own` MiB of its private mapping.
fn file(mib: usize, own: usize) {
    let path = std::env::temp_dir().join(format!("observe kinds=1 {}", std::process::id()));
    let mut file = File::create_new(&path).expect("a new file");
    file.write_all(&vec![1; mib * MIB]).expect("room for it");
    let file = File::open(&path).expect("our own file");
    let memory = map(mib, libc::MAP_PRIVATE, file.as_raw_fd());
    for at in (0..mib * MIB).step_by(4096) {
        // SAFETY: `at` is below the length of the mapping.
        std::hint::black_box(unsafe { memory.add(at).read_volatile() });
    }
    write(memory, own);
    std::fs::remove_file(&path).expect("our own file");
}

fn memory_file(fd: i32, mib: usize) {
    assert!(fd >= 0, "no file in memory: {}", std::io::Error::last_os_error());
    // SAFETY: the descriptor was just opened.
    assert_eq!(unsafe { libc::ftruncate(fd, (mib * MIB) as libc::off_t) }, 0, "no room");
    write(map(mib, libc::MAP_SHARED, fd), mib);
}

fn shared_file(mib: usize) {
    let name =
        std::ffi::CString::new(format!("/observe-kinds-{}", std::process::id())).expect("no zero in it");
    // SAFETY: the name ends with a zero byte.
    unsafe {
        let fd = libc::shm_open(name.as_ptr(), libc::O_CREAT | libc::O_EXCL | libc::O_RDWR, 0o600);
        memory_file(fd, mib);
        libc::shm_unlink(name.as_ptr());
    }
}
