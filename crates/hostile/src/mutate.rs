//! Mutations of bytes and of text: what transmission, editors and ill will do to a file.

use crate::Random;

#[cfg(test)]
#[path = "mutate_tests.rs"]
mod tests;

/// No input is longer, but for those that repeat something on purpose.
const USUAL: usize = 512 << 10;
/// Once in so many inputs something is repeated up to this length.
const REPEATED: (usize, usize) = (150, 4 << 20);

/// Numbers at the edges of types and of what machines have.
const EDGES: [&str; 30] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "63",
    "64",
    "127",
    "255",
    "256",
    "1023",
    "1024",
    "4095",
    "8191",
    "8192",
    "65535",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e308",
    "-1e-308",
    "NaN",
    "inf",
    "0.0000000001",
];

/// Texts that do harm where they are printed, parsed or taken for a path.
const HARMFUL: [&str; 12] = [
    "\u{1b}]0;title\u{7}",
    "\u{1b}[2J",
    "\0",
    "\u{202e}",
    "\u{feff}",
    "%s%n",
    "../../../../etc/passwd",
    "<!--",
    "&a;",
    "\r\n\r\n",
    "'\"`$(id)",
    "\u{fffd}\u{10ffff}",
];

/// A mutation of one input of the corpus: one change as a rule, several often.
pub fn mutated(corpus: &[Vec<u8>], words: &[&str], random: &mut Random) -> Vec<u8> {
    let mut text = corpus[random.below(corpus.len())].clone();
    let changes = 1 + if random.once_in(2) { random.below(6) } else { 0 };
    for _ in 0..changes {
        change(&mut text, corpus, words, random);
        text.truncate(USUAL);
    }
    if random.once_in(REPEATED.0) {
        let part = token(&text, random);
        let length = 1 << (12 + random.below(11));
        repeat(&mut text, part, length.min(REPEATED.1));
    }
    text
}

fn change(text: &mut Vec<u8>, corpus: &[Vec<u8>], words: &[&str], random: &mut Random) {
    match random.below(16) {
        0 => flip(text, random),
        1 => set(text, random),
        2 => cut(text, random),
        3 => drop_part(text, random),
        4 => insert_bytes(text, random),
        5 => splice(text, &corpus[random.below(corpus.len())], random),
        6..=8 => replace_number(text, random),
        9 => copy_token(text, random),
        10 => copy_line(text, random),
        11 => swap_tokens(text, random),
        12 => insert_word(text, words, random),
        13 => replace_token(text, words, random),
        14 => nest(text, random),
        _ => insert_text(text, random.of_these(&HARMFUL).as_bytes(), random),
    }
}

fn flip(text: &mut [u8], random: &mut Random) {
    if !text.is_empty() {
        let at = random.below(text.len());
        text[at] ^= 1 << random.below(8);
    }
}

fn set(text: &mut [u8], random: &mut Random) {
    if !text.is_empty() {
        let at = random.below(text.len());
        text[at] =
            [0, 0xff, b'0', b'9', b'-', b',', b':', b' ', b'\n', b'"', random.byte()][random.below(11)];
    }
}

fn cut(text: &mut Vec<u8>, random: &mut Random) {
    text.truncate(random.below(text.len() + 1));
}

fn drop_part(text: &mut Vec<u8>, random: &mut Random) {
    let from = random.below(text.len() + 1);
    let length = random.below((text.len() - from + 1).min(200));
    text.drain(from..from + length);
}

fn insert_bytes(text: &mut Vec<u8>, random: &mut Random) {
    let bytes: Vec<u8> = (0..1 + random.below(8)).map(|_| random.byte()).collect();
    insert_text(text, &bytes, random);
}

fn insert_text(text: &mut Vec<u8>, new: &[u8], random: &mut Random) {
    let at = random.below(text.len() + 1);
    text.splice(at..at, new.iter().copied());
}

/// The beginning of one and the end of another.
fn splice(text: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    text.truncate(random.below(text.len() + 1));
    text.extend_from_slice(&other[random.below(other.len() + 1)..]);
}

/// Puts an edge in the place of a number, or near to it.
fn replace_number(text: &mut Vec<u8>, random: &mut Random) {
    let Some(range) = run_of(text, random, |byte| byte.is_ascii_digit() || byte == b'.') else { return };
    let old: Option<u64> =
        std::str::from_utf8(&text[range.clone()]).ok().and_then(|digits| digits.parse().ok());
    let new = match (random.below(4), old) {
        (0, Some(old)) => old.wrapping_add(1).to_string(),
        (1, Some(old)) => old.wrapping_sub(1).to_string(),
        _ => random.of_these(&EDGES).to_owned(),
    };
    text.splice(range, new.bytes());
}

/// Copies a token to another place, some times.
fn copy_token(text: &mut Vec<u8>, random: &mut Random) {
    let range = token(text, random);
    let part = text[range].repeat(1 + random.below(4));
    insert_text(text, &part, random);
}

fn copy_line(text: &mut Vec<u8>, random: &mut Random) {
    let Some(range) = run_of(text, random, |byte| byte != b'\n') else { return };
    let mut part = text[range.clone()].to_vec();
    part.push(b'\n');
    text.splice(range.start..range.start, part.repeat(1 + random.below(3)));
}

fn swap_tokens(text: &mut Vec<u8>, random: &mut Random) {
    let (one, other) = (token(text, random), token(text, random));
    let (one, other) = if one.start <= other.start { (one, other) } else { (other, one) };
    if one.end <= other.start {
        let (first, second) = (text[one.clone()].to_vec(), text[other.clone()].to_vec());
        text.splice(other, first);
        text.splice(one, second);
    }
}

fn insert_word(text: &mut Vec<u8>, words: &[&str], random: &mut Random) {
    if !words.is_empty() {
        insert_text(text, random.of_these(words).as_bytes(), random);
    }
}

fn replace_token(text: &mut Vec<u8>, words: &[&str], random: &mut Random) {
    let range = token(text, random);
    let new = match words {
        [] => *random.of_these(&[&EDGES[0], &EDGES[2], &EDGES[22]]),
        words => random.of_these(words),
    };
    text.splice(range, new.bytes());
}

/// Repeats what opens something, from a few times to a hundred thousand.
fn nest(text: &mut Vec<u8>, random: &mut Random) {
    let openers: [&[u8]; 8] = [b"[", b"{", b"(", b"<object type=\"Group\">", b"{\"a\":[", b"<a>", b"!", b"-"];
    let opener = random.of_these(&openers);
    let times = 1usize << random.below(13);
    insert_text(text, &opener.repeat(times), random);
}

/// Repeats a part in its place until it is `length` bytes long.
fn repeat(text: &mut Vec<u8>, part: std::ops::Range<usize>, length: usize) {
    if part.is_empty() {
        return;
    }
    let times = (length / part.len()).max(1);
    let copies = text[part.clone()].repeat(times);
    text.splice(part, copies);
}

/// A word, a quoted text, an attribute or a line, with a separator behind it.
fn token(text: &[u8], random: &mut Random) -> std::ops::Range<usize> {
    let found = match random.below(4) {
        0 => run_of(text, random, |byte| byte != b'\n'),
        1 => run_of(text, random, |byte| byte != b' '),
        2 => run_of(text, random, |byte| !byte.is_ascii_punctuation()),
        _ => run_of(text, random, |byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.'),
    };
    let found = found.unwrap_or(0..0);
    found.start..(found.end + 1).min(text.len())
}

/// The run of bytes of a kind at or after a random place.
fn run_of(text: &[u8], random: &mut Random, belongs: impl Fn(u8) -> bool) -> Option<std::ops::Range<usize>> {
    let place = random.below(text.len());
    let at = place + text[place..].iter().position(|&byte| belongs(byte))?;
    let start = text[..at].iter().rposition(|&byte| !belongs(byte)).map_or(0, |before| before + 1);
    let end = at + text[at..].iter().position(|&byte| !belongs(byte)).unwrap_or(text.len() - at);
    Some(start..end)
}
