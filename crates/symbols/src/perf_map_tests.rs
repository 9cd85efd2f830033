use super::*;

fn name(text: &str, address: u64) -> Option<String> {
    PerfMap::parse(text.as_bytes().to_vec()).function(address)
}

#[test]
fn a_function_is_the_one_that_was_written_last_around_an_address() {
    let text = "1000 20 py::solve:/home/me/a b.py\n1020 10 int main(int)\n0x2000 0x10 hexed\n1000 8 newer\n";
    assert_eq!(name(text, 0x1004).as_deref(), Some("newer"));
    assert_eq!(name(text, 0x1010).as_deref(), Some("py::solve:/home/me/a b.py"));
    assert_eq!(name(text, 0x102f).as_deref(), Some("int main(int)"));
    assert_eq!(name(text, 0x2000).as_deref(), Some("hexed"));
    assert_eq!((name(text, 0x1030), name(text, 0xfff)), (None, None));
}

#[test]
fn broken_lines_are_left_out_and_the_others_stay() {
    let text = "\n1000\n1000 10\n1000 10 \nzz 10 no\nffffffffffffffff 10 beyond\n-1 5 minus\n3000 10 whole";
    assert_eq!(name(text, 0x1000), None);
    assert_eq!(name(text, 0x3008).as_deref(), Some("whole"));
    let mut bytes = b"4000 10 \xff\xfe\n".to_vec();
    bytes.extend(b"5000 10 ".iter().chain(&[b'x'; 2000]));
    let map = PerfMap::parse(bytes);
    assert_eq!(map.function(0x4001).as_deref(), Some("\u{fffd}\u{fffd}"));
    assert!(map.function(0x5000).unwrap().len() < 600);
    assert!(PerfMap::read(Path::new("/no/such/map")).is_err() && PerfMap::read(Path::new("/tmp")).is_err());
}
