use numawise_units::Nanoseconds;

use super::*;

const REQUEST: TraceRequest = TraceRequest {
    buffer: Bytes::mib(1),
    disk: Some(Bytes::mib(8)),
    keep: KeptCalls::First,
    calls: WrittenCalls {
        kinds: 5,
        least: Nanoseconds(1000),
        are_numbered: true,
        from: None,
        to: Some(Nanoseconds(1_700_000_000_000_000_000)),
    },
};

#[test]
fn a_request_goes_to_the_numawise_of_a_rank_as_text() {
    for (disk, keep) in
        [(None, KeptCalls::Last), (Some(Bytes(0)), KeptCalls::First), (None, KeptCalls::Around)]
    {
        let request = TraceRequest { buffer: Bytes::mib(3), disk, keep, ..REQUEST };
        assert_eq!(request.to_string().parse(), Ok(request));
    }
    for text in ["", "a", "1,a,first", "-1,,last", "1,,last", "1,,last,7"] {
        assert!(text.parse::<TraceRequest>().is_err(), "{text}");
    }
}

#[test]
fn chunks_go_beside_the_record_and_each_numawise_has_a_part_of_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("a.trace");
    let of = |request: TraceRequest, numawise| {
        to(&request, Path::new("/dev/shm/numawise-snapshot-1-2"), Some(&record), numawise)
    };
    let alone = of(REQUEST, 1).unwrap();
    assert_eq!(alone.folder.parent(), Some(folder.path()));
    assert_eq!((alone.most, of(REQUEST, 4).unwrap().most), (Bytes::mib(8), Bytes::mib(2)));
    assert_eq!(of(TraceRequest { disk: Some(Bytes(0)), ..REQUEST }, 1), None);
    let most = of(TraceRequest { disk: None, ..REQUEST }, 1).unwrap().most;
    let free = space::free(folder.path()).unwrap();
    assert!(most.0 > 0 && most.0 <= free.0, "{most} of {free}");
}

#[test]
fn what_nobody_uses_any_more_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let made = |name: String, age: u64| {
        let path = folder.path().join(name);
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("1-2-0"), "chunks").unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(&path, mode).unwrap();
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        std::fs::File::open(&path).unwrap().set_modified(then).unwrap();
        path
    };
    let left = made(format!("{}numawise-snapshot-gone", begin()), 3600);
    let others = [
        made(format!("{}numawise-snapshot-begins", begin()), 0),
        made(format!("{}elsewhere-numawise-snapshot-x", folder::BEGIN_TAKEN), 3600),
        made("numawise-snapshot-gone".to_owned(), 3600),
    ];
    let held = made(format!("{}numawise-snapshot-held", begin()), 3600);
    let lock = std::fs::File::open(&held).unwrap();
    lock.lock_shared().unwrap();
    remove_left(folder.path());
    assert!(!left.exists() && held.exists() && others.iter().all(|path| path.exists()));
}
