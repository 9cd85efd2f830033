//! The suites of `make test`, and what each may take. Whoever adds to one finds here whether there is room, or makes some.

use std::collections::BTreeSet;
use std::path::Path;

use crate::map;
use crate::report::Report;

/// The examples in the documentation.
pub const DOC: &str = "examples in the documentation";
/// The tests beside the code of all crates.
const BESIDE: &str = "beside the code";

/// What all suites may take, in seconds: three jobs run at once on two CPUs, and the build and the rest of `make test` have their share of 20 minutes.
const ALL: u32 = 1500;

/// A suite, how long its tests may take one after the other, in seconds, and whether they boot emulated machines.
type Suite = (&'static str, u32, bool);

const SUITES: [Suite; 41] = [
    (BESIDE, 120, false),
    (DOC, 60, false),
    ("capi/library", 40, false),
    ("capi/packages", 20, false),
    ("cli/check", 60, false),
    ("cli/emulated", 240, true),
    ("cli/faults", 60, false),
    ("cli/hostile", 10, false),
    ("cli/manual", 20, false),
    ("cli/measure", 20, false),
    ("cli/mpi", 10, false),
    ("cli/objects", 60, false),
    ("cli/placing", 30, false),
    ("cli/run", 60, false),
    ("cli/slurm", 60, false),
    ("cli/snapshot", 120, false),
    ("cli/streams", 30, false),
    ("cli/study", 40, false),
    ("cli/where", 40, false),
    ("collector/watch", 40, false),
    ("heap/objects", 40, false),
    ("hostile/mutations", 60, false),
    ("hostile/targets", 1, false),
    ("launch/launchers", 10, false),
    ("launch/pinner", 10, false),
    ("machine/golden", 2, false),
    ("membench/kernels_code", 2, false),
    ("observe/counters", 2, false),
    ("observe/truth", 20, false),
    ("placement/peer_launchers", 2, false),
    ("python/python", 10, false),
    ("record/record", 30, false),
    ("report/browser", 20, false),
    ("report/shown", 20, false),
    ("session/experiments", 4, false),
    ("stats/simulated", 60, false),
    ("symbols/callers", 5, false),
    ("symbols/programs", 5, false),
    ("testbed/emulated_guest", 20, true),
    ("testbed/emulated_topology", 20, true),
    ("testbed/emulated_timing", 1, true),
];

/// The suite to which the tests of a binary are counted.
pub fn of(binary: &str) -> &str {
    if binary.contains('/') || binary == DOC { binary } else { BESIDE }
}

/// In seconds; nothing where nothing is said, which tidy complains of.
pub fn budget(binary: &str) -> Option<u32> {
    find(binary).map(|(_, seconds, _)| *seconds)
}

pub fn boots_guests(binary: &str) -> bool {
    find(binary).is_some_and(|(_, _, guests)| *guests)
}

fn find(binary: &str) -> Option<&'static Suite> {
    SUITES.iter().find(|(name, ..)| *name == of(binary))
}

/// Each test target has its line and each line its target; all together keep to what there is.
pub fn check(root: &Path, report: &mut Report) {
    match targets(root) {
        Ok(targets) => compare(&targets, &SUITES, report),
        Err(error) => report.complain(format!("cargo metadata: {error}")),
    }
}

fn compare(targets: &BTreeSet<String>, suites: &[Suite], report: &mut Report) {
    let known: BTreeSet<&str> = suites.iter().map(|(name, ..)| *name).collect();
    for target in targets.iter().filter(|target| !known.contains(target.as_str())) {
        report.complain(format!("xtask/src/test/suites.rs says of {target} not how long its tests may take"));
    }
    for name in known.iter().filter(|name| ![BESIDE, DOC].contains(name) && !targets.contains(**name)) {
        report.complain(format!("xtask/src/test/suites.rs has {name}, which is no test target"));
    }
    let sum: u32 = suites.iter().map(|(_, seconds, _)| seconds).sum();
    if sum > ALL {
        report.complain(format!("the suites may take {sum} s in all, where there are {ALL} s: make room"));
    }
    report.checked(format!("{} suites that may take {sum} of {ALL} s", suites.len()));
}

/// The test targets of the workspace, as `crate/target`.
fn targets(root: &Path) -> std::io::Result<BTreeSet<String>> {
    let json = map::metadata(root)?;
    let mut found = BTreeSet::new();
    for package in json["packages"].as_array().into_iter().flatten() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let Some(krate) = manifest.parent().and_then(Path::file_name) else { continue };
        for target in package["targets"].as_array().into_iter().flatten() {
            if target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "test")) {
                found.insert(format!("{}/{}", krate.display(), target["name"].as_str().unwrap_or_default()));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_without_a_budget_budgets_without_a_suite_and_too_much_of_it_are_complained_of() {
        let targets = ["cli/run", "cli/new"].map(str::to_owned).into();
        let mut report = Report::default();
        compare(&targets, &[(BESIDE, 1, false), ("cli/run", ALL, false), ("cli/gone", 1, true)], &mut report);
        let found = report.complaints().join("\n");
        assert!(report.complaints().len() == 3 && found.contains("of cli/new not"), "{found}");
        assert!(
            found.contains("has cli/gone") && found.contains(&format!("{} s in all", ALL + 2)),
            "{found}"
        );
    }

    #[test]
    fn tests_beside_the_code_are_one_suite() {
        assert_eq!((of("units"), of("cli/run"), of(DOC)), (BESIDE, "cli/run", DOC));
    }
}
