use super::*;

fn policy(mode: MemoryMode, errno: i32) -> String {
    let plan = MemoryPlan::new(mode, "0-1".parse().unwrap());
    LaunchError::MemoryPolicy { plan, source: io::Error::from_raw_os_error(errno) }.to_string()
}

#[test]
fn a_forbidden_policy_call_names_the_call_the_cause_and_the_way_out() {
    let text = policy(MemoryMode::Bind, libc::EPERM);
    for part in ["set_mempolicy(bind:0-1)", "seccomp", "CAP_SYS_NICE", "--security-opt", "--memory default"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(policy(MemoryMode::Bind, libc::ENOSYS).contains("CONFIG_NUMA"));
}

#[test]
fn a_policy_that_the_kernel_lacks_names_the_kernel_that_has_it() {
    assert!(policy(MemoryMode::WeightedInterleave, libc::EINVAL).contains("Linux 6.9"));
    assert!(policy(MemoryMode::PreferredMany, libc::EINVAL).contains("Linux 5.15"));
    assert!(policy(MemoryMode::Bind, libc::EINVAL).contains("nodes 0-1 are not all online"));
}

#[test]
fn a_limit_that_was_reached_is_named() {
    for (errno, part) in
        [(libc::EAGAIN, "ulimit -u"), (libc::EMFILE, "ulimit -n"), (libc::ENOMEM, "free memory")]
    {
        let error = LaunchError::System { call: "fork", source: io::Error::from_raw_os_error(errno) };
        assert!(error.to_string().contains(part), "{error}");
    }
}
