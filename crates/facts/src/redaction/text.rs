//! Credentials in a text: names with their values, URLs, headers, private keys, shapes.

use super::name::{self, NameClass};
use super::value::{self, Context};
use super::{MARKER, shape};

/// How much of a value is judged, so that no text takes long; what is left out is all of it.
const JUDGED: usize = 160;
/// How far the end of quotes is looked for.
const QUOTED: usize = 1024;
/// How far the host of a URL is looked for.
const USER: usize = 320;

/// The longest line that begins or ends a private key.
const LABEL: usize = 64;
/// The longest private key whose beginning is cut off.
const SEARCHED_BACK: usize = 16 << 10;

/// Names of schemes that stand before the credential in a header.
const SCHEMES: [&str; 8] =
    ["bearer", "basic", "digest", "negotiate", "token", "apikey", "ntlm", "aws4-hmac-sha256"];

/// The text without its credentials, which are added to `found`.
pub fn redact(text: &str, found: &mut Vec<String>) -> String {
    let mut scan = Scan { text, at: 0, copied: 0, out: String::new(), found, no_end_of_key: false };
    while scan.at < text.len() {
        scan.step();
    }
    scan.out.push_str(&text[scan.copied..]);
    scan.out
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// What lies before is in `out`.
    copied: usize,
    out: String,
    found: &'a mut Vec<String>,
    /// No private key ends after this.
    no_end_of_key: bool,
}

/// A value, and where it stands.
struct Value {
    from: usize,
    to: usize,
    context: Context,
}

impl Scan<'_> {
    fn step(&mut self) {
        let bytes = self.text.as_bytes();
        let rest = &bytes[self.at..];
        if rest.starts_with(b"-----BEGIN ") || rest.starts_with(b"-----END ") {
            self.private_key();
        } else if rest.starts_with(b"://") {
            self.url();
        } else if rest[0] == b'$' {
            match shape::length(&self.text[self.at..]) {
                Some(length) => self.leave_out(self.at, self.at + length),
                None => self.at += 1,
            }
        } else if is_name(rest[0]) && (self.at == 0 || !is_name(bytes[self.at - 1])) {
            self.name();
        } else {
            self.at += 1;
        }
    }

    /// Replaces a part of the text, and goes on after it.
    fn leave_out(&mut self, from: usize, to: usize) {
        if self.text[from..].starts_with(MARKER) {
            self.at = self.at.max(from + MARKER.len());
            return;
        }
        self.found.push(self.text[from..to].to_owned());
        self.out.push_str(&self.text[self.copied..from]);
        self.out.push_str(MARKER);
        (self.copied, self.at) = (to, to);
    }

    /// A name, and what stands after it.
    fn name(&mut self) {
        let from = self.at;
        let to = from + self.text.as_bytes()[from..].iter().take_while(|c| is_name(**c)).count();
        // The line before a private key, when its end is written as \n.
        let key =
            self.text[from + 1..to].find("-----BEGIN").or_else(|| self.text[from + 1..to].find("-----END"));
        let to = key.map_or(to, |key| from + 1 + key);
        let named = &self.text[from..to];
        for (k, c) in named.bytes().enumerate() {
            let begins = k == 0 || !named.as_bytes()[k - 1].is_ascii_alphanumeric();
            if begins
                && c.is_ascii_alphabetic()
                && let Some(length) = shape::length(&self.text[from + k..])
            {
                return self.leave_out(from + k, from + k + length);
            }
        }
        self.at = to;
        let value = match name::class(named) {
            Some(NameClass::Header) => return self.header(from, to),
            Some(class) => self.value(from, to).map(|value| (class, value)),
            None if named.eq_ignore_ascii_case("bearer") || named.eq_ignore_ascii_case("basic") => {
                self.after_spaces(to).map(|value| (NameClass::IfRandom, value))
            }
            None if named.eq_ignore_ascii_case("by") && self.before(from, "identified ") => {
                self.after_spaces(to).map(|value| (NameClass::Password, value))
            }
            None => None,
        };
        let Some((class, Value { from, to, context })) = value else { return };
        let judged = super::start(&self.text[from..to], JUDGED);
        if value::is_credential(class, judged, context) {
            let user = match judged.find(':') {
                Some(colon) if class == NameClass::UserAndPassword => colon + 1,
                _ => 0,
            };
            let whole = if to - from >= JUDGED { self.end_of_value(from, usize::MAX) } else { to };
            self.leave_out(from + user, whole.max(to));
        }
    }

    fn before(&self, at: usize, text: &str) -> bool {
        let from = at.saturating_sub(text.len());
        self.text.as_bytes()[from..at].eq_ignore_ascii_case(text.as_bytes())
    }

    /// The value of the name at `from..to`, where one follows.
    fn value(&self, from: usize, to: usize) -> Option<Value> {
        let bytes = self.text.as_bytes();
        let before = from.checked_sub(1).map(|k| bytes[k]);
        let mut at = to;
        if before == Some(b'<') && bytes.get(at) == Some(&b'>') {
            let inside = bytes[at + 1..].iter().take(QUOTED).position(|c| *c == b'<').map(|k| at + 1 + k)?;
            let closed = bytes[inside..].starts_with(b"</");
            return closed.then_some(Value { from: at + 1, to: inside, context: Context::Assigned });
        }
        if let Some(quote @ (b'"' | b'\'' | b'`')) = before {
            let escaped = usize::from(bytes.get(at) == Some(&b'\\'));
            if bytes.get(at + escaped) == Some(&quote) {
                at += escaped + 1;
            }
        }
        let spaced = self.blanks(at);
        let rest = &bytes[spaced..];
        let separator = [&b"=>"[..], b":=", b"==", b"=", b":"].into_iter().find(|sep| rest.starts_with(sep));
        let Some(separator) = separator else {
            let option = bytes[from] == b'-' && spaced > at;
            return option.then(|| self.extent(spaced, Context::OptionValue)).flatten();
        };
        let after = spaced + separator.len();
        if separator == b":" && (bytes.get(after) == Some(&b':') || bytes[after..].starts_with(b"//")) {
            return None;
        }
        let begin = self.blanks(after);
        let prose = separator == b":" && begin > after;
        self.extent(begin, if prose { Context::Prose } else { Context::Assigned })
    }

    /// What stands after a word and a space.
    fn after_spaces(&self, at: usize) -> Option<Value> {
        let begin = self.blanks(at);
        (begin > at).then(|| self.extent(begin, Context::Assigned)).flatten()
    }

    /// The value that begins here: in quotes, or to the next space or the next assignment.
    fn extent(&self, from: usize, context: Context) -> Option<Value> {
        let bytes = self.text.as_bytes();
        let escaped = usize::from(bytes.get(from) == Some(&b'\\'));
        if let Some(&quote @ (b'"' | b'\'' | b'`')) = bytes.get(from + escaped) {
            let begin = from + escaped + 1;
            let inside = bytes[begin..].iter().take(QUOTED).position(|c| *c == quote || *c == b'\n');
            if let Some(length) = inside.filter(|length| bytes[begin + length] == quote) {
                let back = usize::from(escaped > 0 && length > 0);
                return Some(Value { from: begin, to: begin + length - back, context: Context::Assigned });
            }
        }
        let to = self.end_of_value(from, from + JUDGED);
        (to > from).then_some(Value { from, to, context })
    }

    /// Where a value without quotes ends, `limit` at most.
    fn end_of_value(&self, from: usize, limit: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut to = from;
        while let Some(c) = bytes.get(to).filter(|_| to < limit) {
            let ends = match c {
                b'"' | b'\'' | b'`' => true,
                b',' | b';' | b'&' | b'|' => to > from && self.assigns(to + 1),
                b'\\' => bytes.get(to + 1) == Some(&b'"'),
                c => c.is_ascii_whitespace(),
            };
            if ends {
                break;
            }
            to += 1;
        }
        while to < limit && to > from && b",.;:)]}>".contains(&bytes[to - 1]) && !closes(&bytes[from..to]) {
            to -= 1;
        }
        while !self.text.is_char_boundary(to) {
            to += 1;
        }
        to
    }

    /// True where a name with a `=` or a `:` stands.
    fn assigns(&self, at: usize) -> bool {
        let name = self.text.as_bytes()[at.min(self.text.len())..].iter().take(64);
        let length = name.take_while(|c| is_name(**c)).count();
        length > 0 && matches!(self.text.as_bytes().get(at + length), Some(b'=' | b':'))
    }

    /// `Authorization: Bearer ...`: to the end of the line or of the quotes.
    fn header(&mut self, from: usize, to: usize) {
        let Some(Value { from, context, .. }) = self.value(from, to) else { return };
        let mut begin = from;
        let end = self.run(from, |c| !matches!(c, b'\n' | b'\r' | b'"' | b'\''));
        if self.text[from..].starts_with(MARKER) {
            self.at = from + MARKER.len();
            return;
        }
        let first = self.run(from, |c| c.is_ascii_alphanumeric() || c == b'-');
        if first < end && SCHEMES.iter().any(|scheme| self.text[from..first].eq_ignore_ascii_case(scheme)) {
            begin = self.blanks(first);
        }
        let value = self.text[begin..end].trim_end();
        let first = value.split_ascii_whitespace().next().unwrap_or_default();
        if !value.starts_with(MARKER) && value::is_credential(NameClass::Header, first, context) {
            self.leave_out(begin, begin + value.len());
        } else {
            self.at = begin.max(self.at);
        }
    }

    /// The password of a URL: `scheme://user:password@host`.
    fn url(&mut self) {
        let from = self.at + 3;
        self.at = from;
        let bytes = self.text.as_bytes();
        let end = from
            + bytes[from..]
                .iter()
                .take(USER)
                .take_while(|c| !c.is_ascii_whitespace() && !matches!(c, b'"' | b'\'' | b'`' | b'>' | b'\\'))
                .count();
        let authority =
            from + bytes[from..end].iter().take_while(|c| !matches!(c, b'/' | b'?' | b'#')).count();
        let last_at = |end: usize| bytes[from..end].iter().rposition(|c| *c == b'@').map(|k| from + k);
        let colon = bytes[from..authority].iter().position(|c| *c == b':').map(|k| from + k);
        let user_end = match (last_at(authority), colon) {
            (Some(at), _) => at,
            // A slash inside of the password: no port has other characters than digits.
            (None, Some(colon)) if bytes[from] != b'[' => {
                let port = &bytes[colon + 1..authority];
                match last_at(end) {
                    Some(at) if !port.is_empty() && !port.iter().all(u8::is_ascii_digit) => at,
                    _ => return,
                }
            }
            _ => return,
        };
        match colon.filter(|colon| *colon < user_end) {
            Some(colon) if colon + 1 < user_end => {
                let password = &self.text[colon + 1..user_end];
                if value::is_credential(NameClass::Password, password, Context::Argument) {
                    self.leave_out(colon + 1, user_end);
                }
            }
            Some(_) => {}
            None if value::looks_random(&self.text[from..user_end]) => self.leave_out(from, user_end),
            None => {}
        }
    }

    /// A private key between its lines; also one whose beginning or end is cut off.
    fn private_key(&mut self) {
        let label = super::start(&self.text[self.at..], LABEL);
        let label = &label[..label[5..].find("-----").map_or(0, |k| k + 10)];
        let begins = label.starts_with("-----BEGIN ");
        let label_end = self.at + label.len().max(5);
        if !label.contains("PRIVATE KEY") {
            self.at = label_end;
            return;
        }
        if begins {
            let end = if self.no_end_of_key { None } else { self.text[label_end..].find("-----END ") };
            self.no_end_of_key = end.is_none();
            let to = end.map_or_else(|| self.run(label_end, is_of_key), |end| label_end + end);
            self.key_body(label_end, to);
            self.at = self.at.max(to);
        } else {
            let bytes = self.text.as_bytes();
            let mut from = self.at;
            while from > self.copied && self.at - from < SEARCHED_BACK && is_of_key(bytes[from - 1]) {
                from -= 1;
            }
            // To the end of the line that the key does not fill.
            let body = &self.text[from..self.at];
            if body.trim().len() >= 16 && !body.contains(MARKER) {
                let skip = body.find('\n').filter(|_| from > self.copied && bytes[from - 1] != b'\n');
                self.key_body(from + skip.map_or(0, |k| k + 1), self.at);
            }
            self.at = label_end;
        }
    }

    fn key_body(&mut self, from: usize, to: usize) {
        let body = &self.text[from..to];
        let inside = body.trim_matches(|c: char| c.is_whitespace() || c == '\\');
        if inside.len() < 8 || inside.starts_with(MARKER) {
            return;
        }
        let begin = from + body.find(inside).unwrap_or(0);
        let end = begin + inside.len();
        self.out.push_str(&self.text[self.copied..begin]);
        self.out.push_str(MARKER);
        (self.copied, self.at) = (end, self.at.max(end));
    }

    /// The end of what is `inside` from here.
    fn run(&self, from: usize, inside: impl Fn(u8) -> bool) -> usize {
        from + self.text.as_bytes()[from..].iter().take_while(|c| inside(**c)).count()
    }

    fn blanks(&self, from: usize) -> usize {
        from + self.text.as_bytes()[from..].iter().take(8).take_while(|c| matches!(c, b' ' | b'\t')).count()
    }
}

fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.')
}

/// What the lines of a private key are made of, their ends included, also as `\n`.
fn is_of_key(c: u8) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, b'+' | b'/' | b'=' | b'\n' | b'\r' | b'\\' | b':' | b',' | b' ' | b'-')
}

/// True when the bracket at the end was opened inside, as in `{0:4}`.
fn closes(value: &[u8]) -> bool {
    let open = match value.last() {
        Some(b')') => b'(',
        Some(b']') => b'[',
        Some(b'}') => b'{',
        Some(b'>') => b'<',
        _ => return false,
    };
    value.contains(&open)
}
