//! Credentials that are known by their shape alone.

/// How a credential begins, and how many characters it has after that at least.
const SHAPES: [(&str, usize); 46] = [
    // GitHub, GitLab, Bitbucket, Atlassian.
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("gldt-", 16),
    ("glrt-", 16),
    ("ATATT3", 30),
    ("ATBB", 28),
    // Chat.
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxe-", 10),
    ("xoxo-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    // Models and data.
    ("sk-ant-", 16),
    ("sk-proj-", 16),
    ("sk-", 32),
    ("hf_", 30),
    ("nvapi-", 20),
    ("gsk_", 30),
    ("r8_", 30),
    ("dapi", 32),
    // Clouds.
    ("AIza", 35),
    ("GOCSPX-", 20),
    ("ya29.", 20),
    ("dop_v1_", 40),
    ("hvs.", 20),
    ("hvb.", 20),
    ("tskey-", 16),
    ("SG.", 40),
    ("AGE-SECRET-KEY-1", 30),
    // Payment.
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("rk_test_", 16),
    ("whsec_", 20),
    // Registries.
    ("npm_", 36),
    ("pypi-AgE", 30),
    ("dckr_pat_", 20),
    ("rubygems_", 40),
    ("cio", 32),
];

/// How far is searched before it is known that it is one, so that no text takes long.
const SEARCHED: usize = 1024;

/// The length of the credential at the beginning of `text`.
pub fn length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'e' if text.starts_with("eyJ") => return web_token(text),
        b'A' => {
            if let Some(length) = amazon(text) {
                return Some(length);
            }
        }
        b'$' => return crypted(text),
        b'M' if text.starts_with("MUNGE:") => return munge(text),
        _ => {}
    }
    let (begin, least) =
        SHAPES.iter().filter(|(begin, _)| text.starts_with(begin)).max_by_key(|(begin, _)| begin.len())?;
    let dotted = begin.ends_with('.');
    let inside = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'-' || (dotted && c == b'.');
    let rest = &text[begin.len()..];
    // A word of a language has no digits, and a random one of that length has.
    let start = &rest.as_bytes()[..run(super::start(rest, SEARCHED), inside)];
    let fits = start.len() >= *least && start.iter().any(u8::is_ascii_digit);
    fits.then(|| begin.len() + run(rest, inside))
}

/// How many bytes at the beginning are `inside`.
fn run(text: &str, inside: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|c| inside(*c)).count()
}

fn base64(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// A JSON web token: three parts in base64, the first begins with `{"`.
fn web_token(text: &str) -> Option<usize> {
    let inside = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'-';
    let first = run(super::start(text, SEARCHED), inside);
    let rest = text[first..].strip_prefix('.')?;
    let second = run(rest, inside);
    if first < 10 || second < 4 {
        return None;
    }
    let third = rest[second..].strip_prefix('.').map_or(0, |rest| 1 + run(rest, inside));
    Some(first + 1 + second + third)
}

/// The identifier of an access key.
fn amazon(text: &str) -> Option<usize> {
    let begins = ["AKIA", "ASIA", "ABIA", "ACCA"].iter().any(|begin| text.starts_with(begin));
    let length = run(text, |c| c.is_ascii_uppercase() || c.is_ascii_digit());
    let ends = text.as_bytes().get(length).is_none_or(|c| !c.is_ascii_alphanumeric());
    (begins && length == 20 && ends).then_some(length)
}

/// A password as crypt(5) keeps it.
fn crypted(text: &str) -> Option<usize> {
    let rest = ["$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$7$", "$argon2"]
        .iter()
        .find_map(|begin| text.strip_prefix(begin))?;
    let inside = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'/' | b'$' | b'=' | b',' | b'+');
    let length = run(rest, inside);
    (length >= 28).then_some(text.len() - rest.len() + length)
}

/// What munge(1) gives to prove who one is.
fn munge(text: &str) -> Option<usize> {
    let rest = &text["MUNGE:".len()..];
    let length = run(rest, base64);
    (length >= 20).then_some("MUNGE:".len() + length)
}
