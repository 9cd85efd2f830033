use super::*;

#[test]
fn address_sanitizer_is_told_to_bear_a_library_before_its_own() {
    for (set, then) in [
        (None, Some("verify_asan_link_order=0")),
        (Some(""), Some("verify_asan_link_order=0")),
        (Some("halt_on_error=0"), Some("verify_asan_link_order=0:halt_on_error=0")),
    ] {
        let change = any_link_order(&|_| set.map(OsString::from)).unwrap();
        assert_eq!((change.name, change.value.as_deref()), ("ASAN_OPTIONS", then), "{set:?}");
    }
    let no_text = |_: &str| Some(std::os::unix::ffi::OsStringExt::from_vec(vec![0xff]));
    assert_eq!(any_link_order(&no_text), None);
}
