//! Collects complaints.

use std::process::ExitCode;

#[derive(Default)]
pub struct Report {
    complaints: Vec<String>,
    checked: Vec<String>,
}

impl Report {
    pub fn complain(&mut self, text: impl Into<String>) {
        self.complaints.push(text.into());
    }

    /// Says what was looked at, so that a check that looked at nothing is seen.
    pub fn checked(&mut self, text: impl Into<String>) {
        self.checked.push(text.into());
    }

    #[cfg(test)]
    pub fn complaints(&self) -> &[String] {
        &self.complaints
    }

    pub fn print(self) -> ExitCode {
        for text in &self.checked {
            println!("tidy: {text}");
        }
        for text in &self.complaints {
            eprintln!("tidy: {text}");
        }
        match self.complaints.len() {
            0 => ExitCode::SUCCESS,
            n => {
                eprintln!("tidy: {n} complaints");
                ExitCode::FAILURE
            }
        }
    }
}

/// Says what failed, for the shell too.
pub fn exit<E: std::fmt::Display>(done: Result<(), E>) -> ExitCode {
    let Err(error) = done else { return ExitCode::SUCCESS };
    eprintln!("xtask: {error}");
    ExitCode::FAILURE
}
