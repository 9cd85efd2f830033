use proptest::prelude::*;

use super::*;

/// All keys of what is read in these pieces, the last of which is all there is.
fn keys(pieces: &[&[u8]]) -> Vec<Input> {
    let mut decoder = Decoder::default();
    let mut keys = Vec::new();
    for (k, piece) in pieces.iter().enumerate() {
        decoder.push(piece);
        while let Some(key) = decoder.next(k + 1 == pieces.len()) {
            keys.push(key);
        }
    }
    assert!(!decoder.is_unfinished());
    keys
}

fn key(bytes: &[u8]) -> Input {
    let keys = keys(&[bytes]);
    assert_eq!(keys.len(), 1, "{bytes:?}: {keys:?}");
    keys[0]
}

#[test]
fn keys_with_names() {
    for (bytes, expected) in [
        ("\x1b[A", Key::Up),
        ("\x1bOA", Key::Up),
        ("\x1b[1;5B", Key::Down),
        ("\x1b[C", Key::Right),
        ("\x1b[D", Key::Left),
        ("\x1b[H", Key::Home),
        ("\x1b[1~", Key::Home),
        ("\x1b[7~", Key::Home),
        ("\x1bOF", Key::End),
        ("\x1b[4~", Key::End),
        ("\x1b[5~", Key::PageUp),
        ("\x1b[6;3~", Key::PageDown),
        ("\x1bOM", Key::Enter),
        ("\r", Key::Enter),
        ("\x7f", Key::Backspace),
        ("\x03", Key::Interrupt),
        ("\x1b", Key::Escape),
        ("q", Key::Char('q')),
        ("é", Key::Char('é')),
        ("日", Key::Char('日')),
        ("🙂", Key::Char('🙂')),
    ] {
        assert_eq!(key(bytes.as_bytes()), Input::Key(expected), "{bytes:?}");
    }
    assert_eq!(key(b"\x0c"), Input::Redraw);
    assert_eq!(key(b"\x1a"), Input::Suspend);
}

#[test]
fn a_key_may_come_in_pieces() {
    assert_eq!(keys(&[b"\x1b", b"[", b"5", b"~"]), [Input::Key(Key::PageUp)]);
    assert_eq!(
        keys(&["日".as_bytes().split_at(1).0, "日".as_bytes().split_at(1).1]),
        [Input::Key(Key::Char('日'))]
    );
    assert_eq!(keys(&[b"\x1b", b""]), [Input::Key(Key::Escape)]);
    assert_eq!(keys(&[b"\x1bq"]), [Input::Key(Key::Escape), Input::Key(Key::Char('q'))]);
    assert_eq!(keys(&[b"\x1b\x1b[A"]), [Input::Key(Key::Escape), Input::Key(Key::Up)]);
}

#[test]
fn what_is_no_key_is_left_out() {
    // F5, a click, focus, a tab, bytes that are no letter.
    for bytes in [&b"\x1b[15~"[..], b"\x1b[<0;3;4M", b"\x1b[I", b"\t", b"\xff", b"\x80\xbf", b"\xc3"] {
        assert_eq!(keys(&[bytes, b"x"]), [Input::Key(Key::Char('x'))], "{bytes:?}");
    }
}

proptest! {
    #[test]
    fn whatever_is_sent_is_read_to_its_end(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let mut decoder = Decoder::default();
        decoder.push(&bytes);
        while decoder.next(false).is_some() {}
        while decoder.next(true).is_some() {}
        prop_assert!(!decoder.is_unfinished());
    }
}
