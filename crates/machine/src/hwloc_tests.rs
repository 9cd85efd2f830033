use super::*;

#[test]
fn hwloc_describes_this_machine_with_version_2() {
    let text = export(Input::Live, "this machine").unwrap();
    assert!(text.contains("<topology version=\"2.0\">"), "{}", &text[..200.min(text.len())]);
    assert!(text.trim_end().ends_with("</topology>"), "the whole text came through the pipe");
    assert!(text.contains("type=\"PU\""));
}

#[test]
fn what_hwloc_says_comes_back_in_the_error_and_nowhere_else() {
    let error = export(Input::Xml(b"<topology version=\"2.0\">\0"), "a piece").unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("hwloc cannot read a piece: it says"), "{message}");
    assert!(!message.contains('\n'), "{message}");
}

#[test]
fn our_environment_stays_as_it_is() {
    let before: Vec<_> = std::env::vars_os().collect();
    export(Input::Synthetic(c"pu:2"), "it").unwrap();
    assert_eq!(std::env::vars_os().collect::<Vec<_>>(), before);
}

#[test]
fn readings_at_the_same_time_do_not_disturb_one_another() {
    let threads: Vec<_> = (1..=8)
        .map(|n| {
            std::thread::spawn(move || {
                let words = CString::new(format!("pack:{n} pu:2")).unwrap();
                let text = export(Input::Synthetic(&words), "it").unwrap();
                assert_eq!(text.matches("type=\"Package\"").count(), n);
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

/// A CPU without complete_cpuset ends hwloc 2.9 by a signal; a newer one may refuse the file, or read it. We are still
/// here afterwards, and say which it was.
#[test]
fn we_survive_a_file_that_hwloc_does_not() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/bad-machines/ends-hwloc.xml");
    let mut text = std::fs::read(file).unwrap();
    text.push(0);
    match export(Input::Xml(&text), "it") {
        Err(error @ Error::HwlocDied { signal, .. }) => {
            assert!([libc::SIGSEGV, libc::SIGABRT].contains(&signal), "{signal}");
            assert!(error.to_string().contains("hwloc did not survive it"), "{error}");
        }
        Err(Error::Hwloc { .. }) => {}
        Ok(text) => assert_eq!(text.matches("type=\"PU\"").count(), 16),
        Err(other) => panic!("{other}"),
    }
}
