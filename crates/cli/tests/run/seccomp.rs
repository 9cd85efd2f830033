//! Memory policy calls forbidden by a seccomp filter, as in a container with the default profile.

use std::os::unix::process::CommandExt;

use crate::support::{Answer, allowed, first, numawise};

/// Lets every call through but these, which fail with `errno`. Only makes system calls.
fn forbid(calls: [libc::c_long; 2], errno: u32) -> std::io::Result<()> {
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let jump = |k: libc::c_long, jt: u8| libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
        jt,
        jf: 0,
        k: k as u32,
    };
    let refuse = libc::SECCOMP_RET_ERRNO | errno;
    let mut filter = [
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0), // the number of the call
        jump(calls[0], 2),
        jump(calls[1], 1),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
        statement(libc::BPF_RET | libc::BPF_K, refuse),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the program and its filter live through the calls.
    let result = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            | libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program)
    };
    if result == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

fn filtered(errno: libc::c_int, arguments: &[&str]) -> Answer {
    let mut command = numawise();
    command.arg("run").args(arguments);
    // SAFETY: `forbid` only makes system calls.
    unsafe {
        command.pre_exec(move || forbid([libc::SYS_set_mempolicy, libc::SYS_get_mempolicy], errno as u32))
    };
    command.output().unwrap().into()
}

#[test]
fn a_forbidden_policy_is_explained_and_nothing_is_started() {
    let node = first(&allowed("Mems_allowed_list"));
    for arguments in [&["-m", node.as_str()][..], &["--place", "local", "--memory", "local"], &["-i", "all"]]
    {
        let answer = filtered(libc::EPERM, &[arguments, &["echo", "started"]].concat());
        assert_eq!((answer.status, answer.out.as_str()), (Some(125), ""), "{answer:?}");
        for part in ["set_mempolicy", "seccomp", "--security-opt", "CAP_SYS_NICE", "--memory default"] {
            assert!(answer.err.contains(part), "{part}: {answer:?}");
        }
    }
}

#[test]
fn a_kernel_without_policies_is_explained() {
    let answer = filtered(libc::ENOSYS, &["-l", "echo", "started"]);
    assert_eq!(answer.status, Some(125));
    assert!(answer.err.contains("CONFIG_NUMA"), "{answer:?}");
}

#[test]
fn cpus_are_placed_all_the_same() {
    let cpu = first(&allowed("Cpus_allowed_list"));
    for arguments in [&["-C", cpu.as_str()][..], &["--place", "local", "--threads", "1"], &["-C", "+0"]] {
        let answer =
            filtered(libc::EPERM, &[arguments, &["grep", "Cpus_allowed_list", "/proc/self/status"]].concat());
        assert_eq!(answer.out, format!("Cpus_allowed_list:\t{cpu}\n"), "{answer:?}");
    }
}
