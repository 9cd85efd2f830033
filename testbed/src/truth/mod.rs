//! `testbed truth`: what `numawise check` says of programs whose truth is known, against what is measured by hand.
//!
//! Every case runs in a guest of its own. What came of it is kept in a file for each, so that the table can be remade for some
//! cases only, and judged anew without any guest.

mod attempt;
mod cases;
mod hand;
mod judge;
mod problem;
mod table;
mod told;

use std::path::{Path, PathBuf};

use clap::Args;

use attempt::Kept;
use cases::Case;
use problem::Problem;

const KEPT: &str = "build/truth";
const TABLE: &str = "docs/truth.md";

/// What to measure, and what to make of it.
#[derive(Args)]
pub(crate) struct TruthArgs {
    /// Only these cases; the others stay as they are kept
    #[arg(long, value_name = "NAME", num_args = 1..)]
    only: Vec<String>,
    /// Only cases that are not kept yet
    #[arg(long)]
    resume: bool,
    /// No guests: judge what is kept
    #[arg(long)]
    judge: bool,
    /// Times that a case is measured while other work on the host spoils it
    #[arg(long, default_value_t = 2, value_name = "N")]
    attempts: u32,
    /// Write the table there
    #[arg(long, default_value = TABLE, value_name = "FILE")]
    output: PathBuf,
}

/// Measures, judges, writes the table. The number of answers that are wrong is said, and is no failure.
pub(crate) fn run(arguments: &TruthArgs) -> Result<u8, Problem> {
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cases = cases::read(root)?;
    if let Some(name) = arguments.only.iter().find(|name| !cases.iter().any(|case| case.name == **name)) {
        let known: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        return Err(Problem::NoSuchCase { name: name.clone(), known: known.join(", ") });
    }
    let wanted: Vec<&Case> = cases.iter().filter(|case| arguments.wants(root, case)).collect();
    let seconds: f64 = wanted.iter().map(|case| attempt::seconds(case)).sum();
    if !wanted.is_empty() {
        eprintln!(
            "truth: {} cases take {:.0} min at most where nothing else runs",
            wanted.len(),
            seconds / 60.0
        );
    }
    let mut failed = 0;
    for (k, case) in wanted.iter().enumerate() {
        eprintln!("truth: {} of {}: {}: {}", k + 1, wanted.len(), case.name, case.about);
        if let Err(problem) = measure(root, case, arguments.attempts) {
            eprintln!("truth: {}: {problem}", case.name);
            failed += 1;
        }
    }
    write_table(root, &cases, &arguments.output)?;
    Ok(u8::from(failed > 0))
}

impl TruthArgs {
    fn wants(&self, root: &Path, case: &Case) -> bool {
        !self.judge
            && (self.only.is_empty() || self.only.contains(&case.name))
            && !(self.resume && file(root, case).exists())
    }
}

fn file(root: &Path, case: &Case) -> PathBuf {
    root.join(KEPT).join(&case.name).with_extension("json")
}

/// Measures a case, again where the host spoiled it, and keeps what came of it.
fn measure(root: &Path, case: &Case, attempts: u32) -> Result<(), Problem> {
    let path = file(root, case);
    std::fs::create_dir_all(root.join(KEPT)).map_err(Problem::write(KEPT))?;
    for _ in 0..attempts.max(1) {
        let kept = attempt::attempt(root, case)?;
        let text = serde_json::to_string_pretty(&kept).map_err(std::io::Error::from);
        text.and_then(|text| std::fs::write(&path, text)).map_err(Problem::write(&path))?;
        for row in table::rows(case, &kept) {
            eprintln!("truth:   {:.0} s; {}", kept.seconds, table::line(&row));
        }
        match &kept.spoiled {
            Some(why) => eprintln!("truth:   spoiled: {why}"),
            None => break,
        }
    }
    Ok(())
}

fn write_table(root: &Path, cases: &[Case], output: &Path) -> Result<(), Problem> {
    let mut kept: Vec<(&Case, Kept)> = Vec::new();
    let mut missing = Vec::new();
    for case in cases {
        let path = file(root, case);
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let one = serde_json::from_str(&text).map_err(|error| Problem::NotKept { path, error })?;
                kept.push((case, one));
            }
            Err(_) => missing.push(case.name.as_str()),
        }
    }
    let rows: Vec<_> = kept.iter().flat_map(|(case, kept)| table::rows(case, kept)).collect();
    std::fs::write(root.join(output), table::document(&rows, &missing)).map_err(Problem::write(output))?;
    eprintln!("truth: {} checks of {} cases are in {}", rows.len(), kept.len(), output.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `make truth` says how long it takes.
    #[test]
    fn all_cases_take_about_an_hour() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let cases = cases::read(&root).unwrap();
        let of_each: Vec<(&str, f64)> =
            cases.iter().map(|case| (case.name.as_str(), attempt::seconds(case))).collect();
        let minutes = of_each.iter().map(|(_, seconds)| seconds).sum::<f64>() / 60.0;
        assert!((30.0..75.0).contains(&minutes), "{minutes:.1} minutes: {of_each:.0?}");
    }
}
