use super::*;

const WHOLE: &str = "Name:\ta b) (c\nUmask:\t0022\nState:\tR (running)\nTgid:\t4711\nPPid:\t30\nUid:\t1000\t1001\t1002\t1003\nVmPeak:\t  999999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    \
1024 kB\nRssAnon:\t     512 kB\nRssFile:\t     512 kB\nRssShmem:\t     256 kB\nVmSwap:\t      64 kB\nHugetlbPages:\t    4096 kB\nThreads:\t3\nCapEff:\t000001ffffffffff\nCpus_allowed:\tf0f\n\
Cpus_allowed_list:\t0-3,8-11\nMems_allowed_list:\t0-1\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n";

#[test]
fn all_that_is_used_is_read() {
    let status = Status::parse(WHOLE.as_bytes()).unwrap();
    let expected = Status {
        peak: Some(Bytes::mib(2)),
        resident: Some(Bytes::mib(1)),
        anonymous: Some(Bytes::kib(512)),
        shared: Some(Bytes::kib(256)),
        huge: Some(Bytes::mib(4)),
        swapped: Some(Bytes::kib(64)),
        cpus: Some("0-3,8-11".parse().unwrap()),
        nodes: Some("0-1".parse().unwrap()),
        voluntary_switches: Some(150),
        involuntary_switches: Some(545),
        user: Some(1001),
        capabilities: Some(0x1ff_ffff_ffff),
        process: Some(4711),
        parent: Some(30),
    };
    assert_eq!(status, expected);
    assert_eq!(status.own(), Some(Bytes::kib(512 + 4096)));
}

#[test]
fn what_is_not_there_is_none_and_not_zero() {
    let zombie = "Name:\tgone\nState:\tZ (zombie)\nThreads:\t1\nCpus_allowed_list:\t0\n";
    let status = Status::parse(zombie.as_bytes()).unwrap();
    assert_eq!((status.resident, status.peak, status.own()), (None, None, None));
    assert_eq!(status.cpus, Some("0".parse().unwrap()));
    assert_eq!(Status::parse(b"").unwrap(), Status::default());
}

#[test]
fn a_program_cannot_forge_lines_by_its_name() {
    // The kernel escapes newlines in names.
    let status = Status::parse(b"Name:\tVmRSS: 5 kB\\nVmRSS:\t7 kB\nVmRSS:\t8 kB\n").unwrap();
    assert_eq!(status.resident, Some(Bytes::kib(8)));
}

#[test]
fn broken_lines_are_refused_with_the_line() {
    for line in [
        "VmRSS:\t12",
        "VmRSS:\t kB",
        "VmRSS:\t12 MB",
        "VmRSS:\t-1 kB",
        "VmHWM:\t99999999999999999999 kB",
        "VmHWM:\t18446744073709551615 kB",
        "Cpus_allowed_list:\t3-1",
        "Cpus_allowed_list:\tall",
        "Mems_allowed_list:\t0-",
        "voluntary_ctxt_switches:\t",
        "RssAnon:",
        "VmSwap:\t12",
        "Uid:\t1000",
        "Uid:",
        "Uid:\t0\t-1\t0\t0",
        "Tgid:\tx",
    ] {
        let problem = Status::parse(format!("Name:\tx\n{line}\n").as_bytes()).expect_err(line);
        assert_eq!(problem.found, numawise_units::harmless::quoted(line.trim_end()));
    }
}

#[test]
fn a_text_cut_anywhere_gives_no_wrong_number() {
    let whole = Status::parse(WHOLE.as_bytes()).unwrap();
    for end in 0..WHOLE.len() {
        if let Ok(status) = Status::parse(&WHOLE.as_bytes()[..end]) {
            for (cut, full) in
                [(status.peak, whole.peak), (status.resident, whole.resident), (status.huge, whole.huge)]
            {
                assert!(cut.is_none() || cut == full, "cut at {end}: {cut:?}");
            }
        }
    }
}
