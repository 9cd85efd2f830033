//! Changes to the environment of a program.

use std::ffi::OsString;

use numawise_facts::notice::LaunchNotice;

/// A variable that the program gets, or (`None`) does not get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub name: &'static str,
    pub value: Option<String>,
}

impl Change {
    /// Gives the variable this value.
    pub(crate) fn set(name: &'static str, value: String) -> Change {
        Change { name, value: Some(value) }
    }

    /// Takes the variable out.
    pub(crate) fn remove(name: &'static str) -> Change {
        Change { name, value: None }
    }
}

/// What the changes take from the environment as the user set it; `now` looks a variable up. What is only added to needs no
/// word.
pub fn overrides(changes: &[Change], now: impl Fn(&str) -> Option<OsString>) -> Vec<LaunchNotice> {
    let mut notices = Vec::new();
    for change in changes {
        let Some(old) = now(change.name) else { continue };
        let (name, was) = (change.name, old.to_string_lossy().into_owned());
        let added_to =
            matches!(name, "LD_PRELOAD" | "GLIBC_TUNABLES" | "ASAN_OPTIONS") && change.value.is_some();
        if added_to || name.starts_with("NUMAWISE_") || change.value.as_ref() == Some(&was) {
            continue;
        }
        notices.push(LaunchNotice::EnvironmentChanged {
            name: name.to_owned(),
            was,
            becomes: change.value.clone(),
        });
    }
    notices
}
