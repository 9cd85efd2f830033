//! `numawise compare A.nw B.nw`: two snapshots side by side: elapsed time, efficiencies, calls of MPI, regions, and findings that came
//! or went; or two studies, point by point with intervals.
//!
//! A snapshot was run once, so that no difference is proven, and that is said. Profiles of machines are compared by `numawise machine
//! compare`.

use std::path::{Path, PathBuf};

use numawise_facts::{Redactor, Study};
use numawise_record::{Record, RecordKind};

use super::report::{not_a_snapshot, watched_run};
use super::{Failure, SUCCESS, Status};
use crate::faces::Faces;
use crate::files;
use crate::show;

/// Show two snapshots or two studies side by side, e.g. before and after a change
#[derive(clap::Args)]
pub struct Arguments {
    /// A snapshot (numawise snapshot --output) or a study (numawise study, numawise check)
    #[arg(value_name = "A.nw")]
    a: PathBuf,
    /// What is compared with it
    #[arg(value_name = "B.nw")]
    b: PathBuf,
    #[command(flatten)]
    faces: Faces,
}

pub fn run(arguments: Arguments) -> Result<Status, Failure> {
    let Arguments { a, b, faces } = arguments;
    files::check(&faces.outputs(), &[&a, &b])?;
    let kinds = [numawise_record::kind(&a)?, numawise_record::kind(&b)?];
    if kinds == [RecordKind::Study, RecordKind::Study] {
        return studies(&a, &b, &faces);
    }
    for (path, kind) in [&a, &b].into_iter().zip(kinds) {
        if let Some(other) = not_a_snapshot(kind) {
            return Err(Failure::new(format!(
                "compare {}: this is {other}; expected two snapshots of runs (numawise snapshot --output), or two studies",
                path.display()
            )));
        }
    }
    let (first, second) = (watched_run(&a)?, watched_run(&b)?);
    let names = [&a, &b].map(|path| path.display().to_string());
    let sides = [show::Snapshot::of(&first, &names[0]), show::Snapshot::of(&second, &names[1])];
    show::compared(sides, &faces)?;
    Ok(SUCCESS)
}

fn studies(a: &Path, b: &Path, faces: &Faces) -> Result<Status, Failure> {
    let read = |path: &Path| -> Result<Study, Failure> {
        let mut study = Record::open_to_read(path)?.study()?;
        // A record of somebody else may hold what ours leave out.
        Redactor::default().study(&mut study);
        Ok(study)
    };
    let (first, second) = (read(a)?, read(b)?);
    if first.header.metric != second.header.metric {
        return Err(Failure::new(format!(
            "compare {}: it has another metric than {}; expected two studies of one metric",
            b.display(),
            a.display()
        )));
    }
    show::compared_studies([(&first, a), (&second, b)], faces)?;
    Ok(SUCCESS)
}
