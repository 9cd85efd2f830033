//! What the name of an option or a variable says about its value.

/// How much a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameClass {
    /// A password or a secret, whatever it looks like.
    Password,
    /// `pwd`, which may be the working directory.
    Pwd,
    /// `pass`, which may also be a stage of a computation.
    Pass,
    /// A token of a service, or a piece of a language: no small number.
    Token,
    /// A key of a service, or the file that holds it.
    Key,
    /// `user:password`.
    UserAndPassword,
    /// A credential where the value looks random.
    IfRandom,
    /// A header of HTTP: its value goes to the end of the line.
    Header,
}

/// Longer names are no names.
const LONGEST: usize = 200;

const PASSWORDS: [&str; 9] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "secret",
    "secrets",
    "credential",
    "credentials",
];
/// Written in one.
const PASSWORD_ENDS: [&str; 4] = ["password", "passwd", "passphrase", "secret"];
const PASSES: [&str; 10] = [
    "requirepass",
    "masterpass",
    "masterauth",
    "dbpass",
    "userpass",
    "adminpass",
    "rootpass",
    "keypass",
    "storepass",
    "mypass",
];
const KEYS: [&str; 8] =
    ["apikey", "accesskey", "secretkey", "privatekey", "authkey", "masterkey", "accountkey", "appkey"];
/// What makes a key one of a service.
const KEY_OF: [&str; 20] = [
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "signing",
    "encryption",
    "master",
    "account",
    "shared",
    "service",
    "license",
    "deploy",
    "storage",
    "app",
    "application",
    "subscription",
    "client",
    "admin",
    "cluster",
];
/// What makes a token one of a language.
const TOKEN_OF_TEXT: [&str; 31] = [
    "bos",
    "eos",
    "pad",
    "padding",
    "unk",
    "stop",
    "mask",
    "sep",
    "cls",
    "image",
    "audio",
    "video",
    "special",
    "start",
    "end",
    "begin",
    "max",
    "min",
    "num",
    "n",
    "per",
    "draft",
    "next",
    "first",
    "last",
    "total",
    "prompt",
    "new",
    "unexpected",
    "expected",
    "illegal",
];
/// What makes a pass a stage.
const PASS_OF_WORK: [&str; 14] = [
    "low", "high", "band", "first", "second", "single", "multi", "render", "one", "two", "by", "all", "last",
    "forward",
];
/// What follows the word and says that the value is about a credential, and not the credential.
const ABOUT: &str = " file files path paths dir directory folder size sizes length len bits count num number type types kind \
                     name names mode max min limit limits ttl timeout expiry expires expiration format algorithm alg algo \
                     provider command cmd policy url uri endpoint prompt env required enabled disabled method version index \
                     range space rate per budget store ring map ids bucket buckets sharing share shares threshold stdin \
                     embedding embeddings manager rotation lifetime age check checker encoding hint field column header usage \
                     generation strength dropout merging pruning level levels prefix pattern distribution id hash list \
                     encryption ";

/// The class of a name such as `--db-password`, `AWS_SECRET_ACCESS_KEY`, `spring.datasource.password`, `keyStorePassword`.
pub fn class(name: &str) -> Option<NameClass> {
    let name = name.trim_start_matches(['-', '/', '.']);
    if name.is_empty() || name.len() > LONGEST {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "authorization" | "proxy-authorization" | "cookie" | "set-cookie" | "www-authenticate" => {
            return Some(NameClass::Header);
        }
        "pwd" => return Some(NameClass::Pwd),
        "oldpwd" => return None,
        _ => {}
    }
    let parts = parts(name);
    let mut weak = None;
    for (k, part) in parts.iter().enumerate() {
        let before = k.checked_sub(1).map(|k| parts[k].as_str());
        let found = of_part(part, before, k + 1 == parts.len());
        let about = parts[k + 1..].iter().any(|part| ABOUT.contains(&format!(" {part} ")));
        match found {
            Some(NameClass::IfRandom) => weak = if about { weak } else { Some(NameClass::IfRandom) },
            Some(class) if !about => return Some(class),
            _ => {}
        }
    }
    weak
}

fn of_part(part: &str, before: Option<&str>, last: bool) -> Option<NameClass> {
    let part = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let ends = |ends: &[&str]| ends.iter().any(|end| part.ends_with(end));
    let among = |list: &[&str]| before.is_some_and(|before| list.contains(&before));
    if PASSWORDS.contains(&part) || ends(&PASSWORD_ENDS) || PASSES.contains(&part) {
        return Some(NameClass::Password);
    }
    if KEYS.contains(&part) || (part == "key" && among(&KEY_OF)) {
        return Some(NameClass::Key);
    }
    match part {
        "pwd" => Some(NameClass::Pwd),
        "pass" if last && !among(&PASS_OF_WORK) => Some(NameClass::Pass),
        "token" if among(&TOKEN_OF_TEXT) => None,
        "token" if !last => Some(NameClass::IfRandom),
        "jwt" => Some(NameClass::Token),
        _ if part.ends_with("token") => Some(NameClass::Token),
        "auth" | "userpwd" if last => Some(NameClass::UserAndPassword),
        "key" | "keys" | "tokens" | "auth" | "sig" | "signature" | "cookie" | "session" | "sas" | "creds"
        | "cred" | "bearer" | "salt" | "seedphrase" => Some(NameClass::IfRandom),
        _ => None,
    }
}

/// The words that a name is made of, in small letters: divided by what is neither letter nor digit, and where a capital letter
/// follows a small one.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase()) {
            parts.push(String::new());
        }
        if c.is_alphanumeric() {
            parts.last_mut().expect("there is always one").push(c.to_ascii_lowercase());
        }
        before = c;
    }
    parts.retain(|part| !part.is_empty());
    parts
}
