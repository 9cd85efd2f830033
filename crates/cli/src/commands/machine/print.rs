//! Shows profiles: on the terminal, as JSON, in HTML, for hwloc.

use std::path::Path;

use numawise_facts::{Fingerprint, Machine, Profile};
use numawise_report::document;
use numawise_report::notice;
use numawise_report::profile::{self, Compared, Measured};
use numawise_session::profiles::{ProfileChoice, SavedProfile};

use crate::commands::Failure;
use crate::faces::Faces;
use crate::files::{self, OutputFile};
use crate::streams;

/// Reads a profile, and says on stderr which file it is where that was left to us, and what was passed over.
pub fn load(choice: &ProfileChoice, here: &Fingerprint) -> Result<SavedProfile, Failure> {
    let saved = choice.load(here)?;
    saved.notices.iter().for_each(|notice| streams::say(&notice::text(notice)));
    if *choice == ProfileChoice::Latest {
        streams::say(&format!("latest is {}", saved.path.display()));
    }
    Ok(saved)
}

/// How a profile, or two of them, are shown.
#[derive(Debug, Clone, clap::Args)]
pub struct Output {
    #[command(flatten)]
    faces: Faces,
}

impl Output {
    /// Fails early where the report, or another file, could not be written in the end, or over one that is to be read.
    pub fn check(&self, others: &[OutputFile<'_>], read: &[&ProfileChoice]) -> Result<(), Failure> {
        let all: Vec<OutputFile<'_>> = others.iter().copied().chain(self.faces.outputs()).collect();
        let read = read.iter().filter_map(|choice| match choice {
            ProfileChoice::File(path) => Some(path.as_path()),
            ProfileChoice::Latest => None,
        });
        files::check(&all, &read.collect::<Vec<_>>())
    }

    pub fn is_json(&self) -> bool {
        self.faces.json.is_printed()
    }

    /// One profile. `machine` is the one that it is of, where that is this one.
    pub fn profile(
        &self,
        of: &Profile,
        machine: Option<&Machine>,
        saved: Option<&Path>,
    ) -> Result<(), Failure> {
        let tables = numawise_analyse::profile(of, machine);
        let saved = saved.map(|path| path.display().to_string());
        let measured = Measured { profile: of, tables: &tables, saved: saved.as_deref() };
        self.faces.put(
            || document::terminal(&profile::document(&measured), streams::style()),
            || format!("{:#}\n", profile::json(of)),
            || document::html(&profile::document(&measured)),
        )
    }

    /// Two, under the names that the user gave them.
    pub fn both(&self, a: &Profile, b: &Profile, names: [&str; 2]) -> Result<(), Failure> {
        let comparison = numawise_analyse::compare_profiles(a, b);
        let compared = Compared { a, b, names, comparison: &comparison };
        self.faces.put(
            || document::terminal(&profile::compare_document(&compared), streams::style()),
            || format!("{:#}\n", profile::compare_json(&compared)),
            || document::html(&profile::compare_document(&compared)),
        )
    }
}
