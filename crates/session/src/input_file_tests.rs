use super::*;

#[test]
fn a_text_is_read_and_what_is_none_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    at("small", b"n = {n}\n");
    at("zero", b"ab\0");
    at("latin", b"\xe4");
    at("large", &vec![b'x'; (1 << 20) + 1]);
    at("half", &vec![b'x'; 600_000]);
    std::fs::create_dir(folder.path().join("in")).unwrap();
    let read = |files: &[&str]| read_templates(files, folder.path());
    let small = InputTemplate { file: "small".to_owned(), text: "n = {n}\n".to_owned() };
    assert_eq!(read(&["small"]).unwrap(), [small]);
    for (files, expected) in [
        (&["none"][..], "none: it cannot be read: No such file or directory"),
        (&["in"], "in: it is no plain file"),
        (&["/dev/null"], "/dev/null: it is no plain file"),
        (&["small", "zero"], "zero: it is no text, byte 2"),
        (&["latin"], "latin: it is no text, byte 0 is no UTF-8"),
        (&["large"], "large: it makes 1.0 MiB"),
        (&["half", "half"], "half: it makes 1.1 MiB with the other input files, and 1 MiB is the most"),
    ] {
        let text = read(files).unwrap_err().to_string();
        assert!(text.starts_with(expected), "{text}");
    }
}
