//! Readers of records, and all that is made of what they read: a study, a job over time, a run that was watched, its memory objects, a profile, each analysed and shown as
//! text, as a page and as JSON.

use std::path::Path;

use numawise_analyse::RunParts;
use numawise_facts::{Profile, Study, TaskPlacement};
use numawise_record::{Record, Series, TraceStreams};
use numawise_report::check::{self, Check, UseFromNowOn};
use numawise_report::document::{self, Style};
use numawise_report::profile::{self, Measured};
use numawise_report::{objects, series, snapshot};

use crate::{Random, Read, Reader, tree};

mod json;
mod shown;
mod sqlite;

pub(crate) const READERS: [Reader; 5] = [
    Reader {
        name: "record-study",
        read: study,
        corpus: &["testdata/records/version-1.nw"],
        words: &[],
        inputs: 1200,
    },
    Reader {
        name: "record-series",
        read: series,
        corpus: &["testdata/records/series-version-1.nw"],
        words: &[],
        inputs: 800,
    },
    Reader {
        name: "record-snapshot",
        read: snapshot,
        corpus: &[
            "testdata/records/snapshot-version-1.nw",
            "testdata/records/snapshot-merged-version-1.nw",
            "testdata/records/snapshot-version-6.nw",
        ],
        words: &[],
        inputs: 800,
    },
    Reader {
        name: "record-objects",
        read: objects,
        corpus: &["testdata/records/objects-version-1.nw"],
        words: &[],
        inputs: 800,
    },
    Reader {
        name: "record-profile",
        read: profile,
        corpus: &["testdata/records/profile-version-1.json"],
        words: &[],
        inputs: 800,
    },
];

/// An input of a reader whose format has a structure that bytes do not show.
pub(crate) fn mutated(reader: &Reader, corpus: &[Vec<u8>], random: &mut Random) -> Option<Vec<u8>> {
    let whole = &corpus[random.below(corpus.len())];
    let structured = match reader.name {
        "record-study" | "record-series" | "record-snapshot" | "record-objects" => {
            sqlite::mutated(whole, random)
        }
        "record-profile" => json::mutated(whole, random),
        _ => return None,
    };
    // Every fourth is broken as bytes, too, or only so.
    Some(match random.below(8) {
        0 => crate::mutated(&[structured], reader.words, random),
        1 => crate::mutated(corpus, reader.words, random),
        _ => structured,
    })
}

/// The error with its causes, as the command line says it.
fn refused(error: &dyn std::error::Error) -> Read {
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    Read::refused(&numawise_units::harmless::paragraphs(&format!("{error}{cause}")))
}

fn study(input: &[u8]) -> Read {
    tree::with_file(input, "study.nw", |path| {
        let read = numawise_record::kind(path)
            .and_then(|_| Record::open_to_read(path))
            .and_then(|record| record.study());
        // Whoever goes on with it must say the same, or hold it for good.
        let opened = Record::open(path);
        let leftover = path.with_extension("nw-journal").exists();
        match read {
            Err(error) => refused(&error),
            Ok(_) if leftover => Read::Nonsense("a journal is left".to_owned()),
            Ok(study) => match opened {
                Err(error) => Read::Nonsense(format!("it is shown, and cannot be gone on with: {error}")),
                Ok(record) => {
                    let same = Record::same_study(record.header(), &study.header);
                    let differs =
                        same.err().map(|difference| format!("it differs from itself: {difference}"));
                    Read::accepted(differs.or_else(|| shown_study(&study, path)))
                }
            },
        }
    })
}

fn shown_study(study: &Study, path: &Path) -> Option<String> {
    let analysis = numawise_analyse::analyse(study);
    let header = &study.header;
    let line = |threads: u32| header.command.shell_line_with_threads(threads);
    let command = |task: &TaskPlacement| line(task.threads.len() as u32);
    let mut equivalents = Vec::new();
    for point in &header.points {
        let all = numawise_placement::equivalent_commands(&header.machine, &point.placement, true, &command);
        for commands in all {
            let tool = commands.tool.name().to_owned();
            equivalents.extend(commands.lines.into_iter().map(|line| (tool.clone(), line)));
        }
    }
    let line = line(header.points[0].threads());
    let from_now_on = UseFromNowOn { line, equivalents, comments: Vec::new() };
    let record = path.display().to_string();
    let followed = numawise_analyse::objects_of_check(study, &|point| point.id.to_string());
    let followed = followed.map(|run| (numawise_analyse::objects(&run), run));
    let objects =
        followed.as_ref().map(|(tables, run)| numawise_report::objects::Shown { run, tables, record: None });
    let check = Check { study, analysis: &analysis, from_now_on: &from_now_on, record: &record, objects };
    let page = document::html(&check::document(&check));
    let text = document::terminal(&check::document(&check), Style::plain());
    shown::all(&text, &page, &check::json(&check))
}

fn series(input: &[u8]) -> Read {
    tree::with_file(input, "job.nw", |path| {
        let mut looks = numawise_analyse::Series::default();
        let read = numawise_record::kind(path)
            .and_then(|_| Series::replay(path, |machine, session, look| looks.push(machine, session, look)));
        if let Err(error) = read {
            return refused(&error);
        }
        let timeline = looks.timeline();
        let record = path.display().to_string();
        let of = series::Series { timeline: &timeline, record: &record };
        let page = document::html(&series::document(&of));
        let text = document::terminal(&series::document(&of), Style::plain());
        Read::accepted(shown::all(&text, &page, &series::json(&of)))
    })
}

fn snapshot(input: &[u8]) -> Read {
    tree::with_file(input, "run.nw", |path| {
        let run = match numawise_record::kind(path).and_then(|_| numawise_record::read_watched_run(path)) {
            Ok(run) => run,
            Err(error) => return refused(&error),
        };
        // What a viewer reads of it.
        if let Err(error) = TraceStreams::open(path).and_then(|(streams, run)| streams.overview(&run)) {
            return refused(&error);
        }
        let machines = run.machines();
        let parts = RunParts {
            trace_part: None,
            activities: &run.processes,
            merged: run.merged.as_ref(),
            places: &run.places,
            asked: run.header.ranks.as_ref(),
            exit: Some(run.header.exit),
            unwatched: run.header.computed_unwatched(),
            machines: &machines,
        };
        let tables = numawise_analyse::run_snapshot(&parts);
        let record = path.display().to_string();
        let followed = numawise_analyse::objects_of_ranks(&run.objects, parts.asked);
        let objects = followed.as_ref();
        let of = snapshot::Shown { run: &run, tables: &tables, objects, events: None, record: Some(&record) };
        let page = document::html(&snapshot::document(&of));
        let text = document::terminal(&snapshot::document(&of), Style::plain());
        Read::accepted(shown::all(&text, &page, &snapshot::json(&of)))
    })
}

fn objects(input: &[u8]) -> Read {
    tree::with_file(input, "objects.nw", |path| {
        let run = match numawise_record::kind(path).and_then(|_| numawise_record::read_object_run(path)) {
            Ok(run) => run,
            Err(error) => return refused(&error),
        };
        let tables = numawise_analyse::objects(&run);
        let record = path.display().to_string();
        let of = objects::Shown { run: &run, tables: &tables, record: Some(&record) };
        let page = document::html(&objects::document(&of));
        let text = document::terminal(&objects::document(&of), Style::plain());
        Read::accepted(shown::all(&text, &page, &objects::json(&of)))
    })
}

fn profile(input: &[u8]) -> Read {
    tree::with_file(input, "profile.json", |path| match numawise_profiles::read_profile(path) {
        Err(error) => refused(&error),
        Ok(profile) => Read::accepted(shown_profile(&profile, path)),
    })
}

fn shown_profile(of: &Profile, path: &Path) -> Option<String> {
    let tables = numawise_analyse::profile(of, None);
    let saved = path.display().to_string();
    let measured = Measured { profile: of, tables: &tables, saved: Some(&saved) };
    let page = document::html(&profile::document(&measured));
    let text = document::terminal(&profile::document(&measured), Style::plain());
    let compared = numawise_analyse::compare_profiles(of, of);
    let compared = profile::Compared { a: of, b: of, names: ["a", "b"], comparison: &compared };
    let both = document::terminal(&profile::compare_document(&compared), Style::plain());
    shown::all(&text, &page, &profile::json(of).to_string()).or_else(|| shown::text(&both))
}
