//! `cargo xtask tidy`: all that is checked, in one report.

use std::path::Path;
use std::process::ExitCode;

use crate::report::Report;
use crate::{files, map, rules, test, wrappers};

pub fn check(root: &Path) -> ExitCode {
    let mut report = Report::default();
    map::check(root, &mut report);
    let files = files::tracked(root, &mut report);
    files::check(root, &files, &mut report);
    rules::check(root, &files, &mut report);
    wrappers::check(root, &mut report);
    test::check(root, &mut report);
    report.print()
}
