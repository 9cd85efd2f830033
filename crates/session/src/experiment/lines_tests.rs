use std::fs;
use std::os::unix::fs::PermissionsExt;

use numawise_facts::Argument;

use super::*;

fn command(words: &[&str]) -> RunSpec {
    RunSpec { command: words.iter().map(|word| Argument::from(*word)).collect(), directory: "/".into() }
}

fn line(tool: LineTool) -> PrintedLine {
    PrintedLine { tool, line: format!("{tool} app"), not_run: None }
}

fn all() -> Vec<PrintedLine> {
    let others = EquivalentTool::ALL.into_iter().map(LineTool::Other);
    [LineTool::Program, LineTool::Numawise].into_iter().chain(others).map(line).collect()
}

#[test]
fn what_starts_ranks_or_changes_the_machine_is_not_run() {
    let lines = all().into_iter().map(|line| checked(line, &command(&["app"]), &Ok(None)));
    for line in lines {
        let expected = match line.tool {
            LineTool::Other(EquivalentTool::OpenMpi | EquivalentTool::Mpich | EquivalentTool::Srun) => {
                Some(NotRun::StartsRanks)
            }
            LineTool::Other(EquivalentTool::KernelWeights) => Some(NotRun::ChangesTheMachine),
            // Whether these are here is not ours to say.
            LineTool::Other(EquivalentTool::Numactl | EquivalentTool::Taskset) => continue,
            _ => None,
        };
        assert_eq!(line.not_run, expected, "{}", line.tool);
    }
    let other = NotRun::OtherName { found: "nw".to_owned() };
    let ours = checked(line(LineTool::Numawise), &command(&["app"]), &Err(other.clone()));
    assert_eq!(ours.not_run, Some(other));
    let several = PrintedLine { line: "app 1\napp 2".to_owned(), ..line(LineTool::Numawise) };
    let several = checked(several, &command(&["app"]), &Ok(None));
    assert_eq!(several.not_run, Some(NotRun::SeveralLines));
}

#[test]
fn lines_go_from_the_last_on_where_the_time_is_short_and_ours_goes_with_the_programs_own() {
    let second = Nanoseconds(1_000_000_000);
    let run = |tenths: u64| {
        let times = [second, Nanoseconds(second.0 / 2)];
        let lines = within(all(), times, Nanoseconds(tenths * second.0 / 10));
        let run = lines.iter().filter(|line| line.not_run.is_none()).count();
        assert!(lines.iter().take(run).all(|line| line.not_run.is_none()), "the first ones stay");
        run
    };
    // 7.5 s for five repeats of the first two, 5 s for each of the others.
    assert_eq!((run(74), run(75), run(124), run(125), run(10_000)), (0, 2, 2, 3, 11));
}

fn seconds(n: u64) -> Nanoseconds {
    Nanoseconds(n * 1_000_000_000)
}

#[test]
fn time_is_kept_for_lines_where_the_placements_have_enough() {
    assert_eq!(reserve(seconds(1), seconds(180)), seconds(10));
    assert_eq!(reserve(seconds(10), seconds(180)), seconds(0), "the answer comes first");
    assert_eq!(reserve(seconds(u64::from(u32::MAX)), seconds(0)), seconds(0));
}

#[test]
fn time_is_kept_for_other_tools_where_the_placements_have_enough() {
    assert_eq!(reserve_beside(30, seconds(1), seconds(180)), seconds(20));
    assert_eq!(reserve_beside(30, seconds(1), seconds(47)), seconds(15), "a third at most");
    assert_eq!(reserve_beside(33, seconds(1), seconds(47)), seconds(10), "the trials come first");
    assert_eq!(reserve_beside(30, seconds(10), seconds(180)), seconds(0));
    assert_eq!(reserve_beside(u64::MAX, seconds(u64::from(u32::MAX)), seconds(0)), seconds(0));
}

#[test]
fn our_name_means_this_very_program() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = |folder: &tempfile::TempDir| folder.path().to_owned().into_os_string().into_string().unwrap();
    for folder in [&folder, &other] {
        let file = folder.path().join(OUR_NAME);
        fs::write(&file, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let ours = folder.path().join(OUR_NAME);
    let to = |now: &str| search_path_to(&ours, OsStr::new(now)).unwrap();
    assert_eq!(to(&path(&folder)), None, "it does already");
    assert_eq!(to("/bin"), Some(format!("{}:/bin", path(&folder))));
    assert_eq!(to(&path(&other)), Some(format!("{}:{}", path(&folder), path(&other))));
    let named = search_path_to(&folder.path().join("nw"), OsStr::new("/bin"));
    assert_eq!(named, Err(NotRun::OtherName { found: "nw".to_owned() }));
}

#[test]
fn runs_of_other_lines_or_another_placement_are_not_gone_on_with() {
    let kept = |trials| PrintedLines { point: "a".into(), lines: all(), trials, stopped: None };
    assert!(!goes_on(&kept(Vec::new()), &"a".into(), &all()), "nothing was run: what fits is found anew");
    let mut others = all();
    others[1].line.push_str(" more");
    let trial = Trial {
        number: 0,
        block: 1,
        point: "program".into(),
        started: Nanoseconds(0),
        wall: Nanoseconds(1),
        outcome: numawise_facts::Outcome::Measured { per_task: vec![1.0] },
        observation: numawise_facts::Reading::unavailable(Trial::LINE_NOT_OBSERVED),
        disturbances: Vec::new(),
        left_behind: None,
        other_values: vec![],
    };
    let kept = kept(vec![trial]);
    assert!(goes_on(&kept, &"a".into(), &all()));
    assert!(!goes_on(&kept, &"b".into(), &all()) && !goes_on(&kept, &"a".into(), &others));
}
