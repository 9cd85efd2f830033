//! System calls that fail as in a container or a sandbox, by a filter of seccomp(2).

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Which calls are refused.
#[derive(Clone, Copy)]
pub enum Refused {
    /// These two.
    Both([libc::c_long; 2]),
    /// This one, where its first argument is not zero: for a thread that is named by its number.
    ForNamedThreads(libc::c_long),
}

/// Gives a command such a filter: what is refused fails with `errno`; 0 reports success and does nothing.
pub fn refuse(command: &mut Command, refused: Refused, errno: libc::c_int) {
    // SAFETY: `install` only makes system calls.
    unsafe { command.pre_exec(move || install(refused, errno as u32)) };
}

fn install(refused: Refused, errno: u32) -> std::io::Result<()> {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let jump = |k: u32, jt: u8, jf: u8| libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
        jt,
        jf,
        k,
    };
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let (allow, fail) = (libc::SECCOMP_RET_ALLOW, libc::SECCOMP_RET_ERRNO | errno);
    // The number of the call comes first; its first argument begins at byte 16 (struct seccomp_data).
    let mut filter = match refused {
        Refused::Both(calls) => [
            statement(load, 0),
            jump(calls[0] as u32, 3, 0),
            jump(calls[1] as u32, 2, 0),
            statement(load, 0),
            statement(libc::BPF_RET | libc::BPF_K, allow),
            statement(libc::BPF_RET | libc::BPF_K, fail),
        ],
        Refused::ForNamedThreads(call) => [
            statement(load, 0),
            jump(call as u32, 0, 2),
            statement(load, 16),
            jump(0, 0, 1),
            statement(libc::BPF_RET | libc::BPF_K, allow),
            statement(libc::BPF_RET | libc::BPF_K, fail),
        ],
    };
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the program and its filter live through the calls.
    let result = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            | libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program)
    };
    if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}
