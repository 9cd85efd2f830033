//! Credentials in the words of a command.

use super::name::{self, NameClass};
use super::value::{self, Context};
use super::{MARKER, changed, text};
use crate::Argument;

/// How a program takes a password after an option of one letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShortForm {
    /// `-pSECRET` only: `-p` alone asks for it.
    Attached,
    /// `-a SECRET` or `-aSECRET`.
    Either,
    /// `-u USER:SECRET`.
    AfterColon,
    /// `-U USER%SECRET`.
    AfterPercent,
}

/// Programs that take a password so, and their options.
const SHORT: [(&[&str], &[&str], ShortForm); 9] = [
    (
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mysqlslap",
            "mysqlcheck",
            "mysqlsh",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
            "7z",
            "7za",
            "7zr",
        ],
        &["-p"],
        ShortForm::Attached,
    ),
    (
        &["sshpass", "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "cqlsh"],
        &["-p"],
        ShortForm::Either,
    ),
    (&["redis-cli", "redis-benchmark", "valkey-cli", "valkey-benchmark"], &["-a"], ShortForm::Either),
    (&["sqlcmd", "bcp", "ipmitool", "zip", "unzip"], &["-P"], ShortForm::Either),
    (&["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami"], &["-w"], ShortForm::Either),
    (&["openssl"], &["-k", "-K"], ShortForm::Either),
    (&["curl"], &["-u", "-U", "--user", "--proxy-user"], ShortForm::AfterColon),
    (&["memtier_benchmark"], &["-a", "--authenticate"], ShortForm::AfterColon),
    (&["smbclient", "rpcclient"], &["-U"], ShortForm::AfterPercent),
];

type OfProgram = (&'static [&'static str], ShortForm);

/// The words without their credentials, which are added to `found`. A word in which there is none keeps its bytes.
pub fn redact(words: &[Argument], found: &mut Vec<String>) -> Vec<Argument> {
    let texts: Vec<String> = words.iter().map(|word| word.0.to_string_lossy().into_owned()).collect();
    let mut program: Option<OfProgram> = None;
    let mut redacted = Vec::with_capacity(words.len());
    for (k, text) in texts.iter().enumerate() {
        let before = k.checked_sub(1).map(|k| texts[k].as_str());
        redacted.push(changed(&words[k], word(text, before, program, found)));
        program = program_of(text).or(program);
    }
    redacted
}

fn program_of(text: &str) -> Option<OfProgram> {
    let base = text.rsplit('/').next().unwrap_or(text);
    SHORT.iter().find(|(names, ..)| names.contains(&base)).map(|(_, options, form)| (*options, *form))
}

/// One word, after the word `before`.
fn word(text: &str, before: Option<&str>, program: Option<OfProgram>, found: &mut Vec<String>) -> String {
    if text == MARKER {
        return text.to_owned();
    }
    if let Some((options, form)) = program
        && let Some(short) = of_program(text, before, options, form)
    {
        found.push(text[short..].to_owned());
        return format!("{}{MARKER}", &text[..short]);
    }
    // What follows sh -c is a line of its own.
    let line =
        before.is_some_and(|before| before.len() <= 4 && before.starts_with('-') && before.ends_with('c'));
    let assigned = |text| if line { None } else { assigned(text) };
    let kept = before.and_then(|before| after(before, text)).or_else(|| assigned(text));
    if let Some(kept) = kept.filter(|kept| !text[*kept..].starts_with(MARKER)) {
        found.push(text[kept..].to_owned());
        return format!("{}{MARKER}", &text[..kept]);
    }
    let redacted = text::redact(text, found);
    if text.contains(char::is_whitespace) { shell(&redacted, found) } else { redacted }
}

/// How much of the value of an option is kept: nothing, or the user before the password.
fn after(option: &str, text: &str) -> Option<usize> {
    let class = name::class(option).filter(|_| !option.contains(['=', ' ', ':', '/']))?;
    let credential = if option.starts_with('-') {
        !is_option(text) && value::is_credential(class, text, Context::Argument)
    } else {
        value::looks_random(text)
    };
    credential.then(|| user(class, text))
}

/// How much of `NAME=VALUE` is kept.
fn assigned(text: &str) -> Option<usize> {
    let (name, value) = text.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let class = name::class(name).filter(|_| name.chars().all(is_name))?;
    let credential = value::is_credential(class, value, Context::Argument);
    credential.then(|| name.len() + 1 + user(class, value))
}

fn user(class: NameClass, value: &str) -> usize {
    match value.find(':') {
        Some(colon) if class == NameClass::UserAndPassword => colon + 1,
        _ => 0,
    }
}

fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-')
}

/// How much of a word is kept that a program takes as a password.
fn of_program(text: &str, before: Option<&str>, options: &[&str], form: ShortForm) -> Option<usize> {
    let separate = before.is_some_and(|before| options.contains(&before)) && !is_option(text);
    let attached = options.iter().find_map(|option| {
        let rest = text.strip_prefix(option)?;
        let equals = rest.starts_with('=') && option.starts_with("--");
        (equals || !option.starts_with("--")).then(|| option.len() + usize::from(equals))
    });
    let begin = if separate && form != ShortForm::Attached { Some(0) } else { attached }?;
    let value = &text[begin..];
    let kept = match form {
        ShortForm::Attached | ShortForm::Either => 0,
        ShortForm::AfterColon => value.find(':')? + 1,
        ShortForm::AfterPercent => value.find('%')? + 1,
    };
    let credential = value::is_credential(NameClass::Password, &value[kept..], Context::Argument);
    (credential && !value.contains(MARKER)).then_some(begin + kept)
}

/// A word that is a line for a shell: the programs in it take their passwords as they do in words of their own.
fn shell(line: &str, found: &mut Vec<String>) -> String {
    let mut program = None;
    let mut before = None;
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    for piece in line.split_inclusive(char::is_whitespace) {
        let token = piece.trim_end();
        let kept = program.and_then(|(options, form)| of_program(token, before, options, form));
        let kept = kept.filter(|kept| !rest[*kept..].starts_with(MARKER));
        rest = &rest[piece.len()..];
        match kept {
            Some(kept) => {
                found.push(token[kept..].to_owned());
                out.push_str(&token[..kept]);
                out.push_str(MARKER);
                out.push_str(&piece[token.len()..]);
            }
            None => out.push_str(piece),
        }
        program = program_of(token.trim_start_matches(['(', '"', '\''])).or(program);
        before = Some(token);
    }
    out
}
