//! The library that pins the threads of any runtime: whether this program gets it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use numawise_facts::{Placement, RunSpec, ThreadBinding};
use numawise_launch::Pinner;

use super::arguments::Arguments;

#[cfg(test)]
mod tests;

/// What was decided, and what a person should know of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Decision {
    pub pinner: Option<Pinner>,
    pub note: Option<String>,
    pub warning: Option<String>,
}

/// Decides for a plan. Nothing is looked for where threads are free.
pub fn decide(arguments: &Arguments, placement: &Placement, spec: &RunSpec) -> Decision {
    if placement.binding != ThreadBinding::Pinned {
        return Decision::default();
    }
    let note = |text: &str| Decision { note: Some(text.to_owned()), ..Decision::default() };
    if arguments.no_preload {
        return note("threads of OpenMP are pinned by its variables; no others (--no-preload)");
    }
    let own = std::env::current_exe().ok();
    let Some(library) = own.as_deref().and_then(numawise_launch::find_agent) else {
        return note(
            "threads of OpenMP are pinned by its variables; no others, since libnumawise_agent.so is not beside numawise",
        );
    };
    let pinner = Pinner { library, verbose: arguments.verbose };
    let problem = pinner.problem().or_else(|| {
        let program = found(spec.command.first()?.as_os_str(), std::env::var_os("PATH").as_deref())?;
        numawise_launch::preload_problem(&program)
    });
    match problem {
        Some(problem) => Decision { warning: Some(problem), ..Decision::default() },
        None => Decision {
            note: Some(format!("threads of every kind are pinned by {}", pinner.library.display())),
            pinner: Some(pinner),
            warning: None,
        },
    }
}

/// The file that a shell would start for this word.
fn found(program: &OsStr, search: Option<&OsStr>) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(program));
    }
    let executable = |file: &PathBuf| {
        use std::os::unix::fs::PermissionsExt;
        file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    let search = search.unwrap_or(OsStr::new("/bin:/usr/bin"));
    std::env::split_paths(search).map(|folder: PathBuf| Path::new(&folder).join(program)).find(executable)
}
