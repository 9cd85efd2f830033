use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn jobs_of_the_queue_are_read_and_lines_that_are_none_are_left_out() {
    assert_eq!(
        queued("17|RUNNING|numawise-ab"),
        Some(QueuedJob { number: JobNumber(17), name: "numawise-ab".to_owned(), state: JobState::Running })
    );
    // A name may hold the mark between the fields.
    assert_eq!(queued(" 3 |PENDING|a|b").unwrap().name, "a|b");
    // Arrays are not ours, and what squeue prints beside its table is no job.
    for line in
        ["", "17_4|RUNNING|x", "17", "17|RUNNING", "slurm_load_jobs error: Unable to contact", "-1|x|y"]
    {
        assert_eq!(queued(line), None, "{line}");
    }
    for (word, state) in [
        ("CONFIGURING", JobState::Waiting),
        ("COMPLETING", JobState::Running),
        ("NODE_FAIL", JobState::Ended),
        ("SOMETHING_NEW", JobState::Waiting),
    ] {
        assert_eq!(JobState::of(word), state, "{word}");
    }
}

#[test]
fn the_end_of_a_job_is_read_of_what_scontrol_shows() {
    let shown = "JobId=2 JobName=x UserId=root(0) JobState=FAILED Reason=JobLaunchFailure Requeue=0 ExitCode=0:53 \
                 RunTime=00:02:03 ReqNodeList=n2 NodeList=n2 Command=/a b/JobState=RUNNING\n";
    let ended = ended_job(shown).unwrap();
    assert_eq!((ended.state.as_str(), ended.reason.as_str()), ("FAILED", "JobLaunchFailure"));
    assert_eq!((ended.code, ended.signal, ended.node.as_deref()), (0, 53, Some("n2")));
    assert_eq!(ended.ran, Nanoseconds(123_000_000_000));
    assert_eq!(ended_job(&shown.replace("NodeList=n2", "NodeList=(null)")).unwrap().node, None);
    for other in ["", "slurm_load_jobs error: Invalid job id specified"] {
        assert_eq!(ended_job(other), None, "{other}");
    }
    // What cannot be read of it is not a success, and took not no time.
    for (is, other) in [
        ("JobState=FAILED", "JobState=RUNNING"),
        ("ExitCode=0:53", ""),
        ("ExitCode=0:53", "ExitCode=0:"),
        ("ExitCode=0:53", "ExitCode=x:53"),
        ("RunTime=00:02:03", ""),
        ("RunTime=00:02:03", "RunTime=INVALID"),
    ] {
        assert_eq!(ended_job(&shown.replace(is, other)), None, "{other}");
    }
}

#[test]
fn times_are_read_as_slurm_shows_them() {
    let seconds = |text| span(text).map(|span| span.0 / 1_000_000_000);
    assert_eq!(seconds("02:03"), Some(123));
    assert_eq!(seconds("01:02:03"), Some(3723));
    assert_eq!(seconds("1-01:02:03"), Some(90_123));
    assert_eq!(seconds("65535-00:00:00"), Some(65535 * 86_400));
    for text in ["", "5", "1:2:3:4", "-01:02:03", "1-", "01:02:", "01:+2:03", "UNLIMITED", "65536-00:00:00"] {
        assert_eq!(span(text), None, "{text}");
    }
}

#[test]
fn nodes_that_take_jobs_are_those_of_the_partition() {
    let shown = "all*|n0|idle\nall*|n1|mixed\nall*|n2|down*\ncpu|n1|mixed\ncpu|n3|idle~\ncpu|n4|idle*\ncpu|n5|draining\n\
                 odd line\n";
    let names = |partition| {
        let nodes = nodes_of(shown, partition).unwrap();
        nodes
            .into_iter()
            .map(|node| format!("{}{}", node.name, if node.is_idle { "+" } else { "" }))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(None), ["n0+", "n1"]);
    assert_eq!(names(Some("cpu")), ["n1", "n3+"]);
    assert_eq!(names(Some("cpu,all")), ["n0+", "n1", "n3+"]);
    let error = nodes_of(shown, Some("gpu")).unwrap_err().to_string();
    assert_eq!(error, "Slurm has no partition 'gpu'; it has: all, cpu");
    assert!(nodes_of("cpu|n1|idle\n", None).unwrap_err().to_string().contains("no default one; it has: cpu"));
}

#[test]
fn words_of_a_job_come_to_the_shell_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let words =
        [OsString::from("it's"), OsString::from("$HOME\n#SBATCH --x"), OsString::from_vec(vec![0xff, b' '])];
    let numawise = path("it's numawise");
    std::fs::write(&numawise, "#!/bin/sh\nshift 3\nprintf '%s,' \"$@\"\n").unwrap();
    std::fs::set_permissions(&numawise, std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::write(path("a job"), "").unwrap();
    let options = SlurmOptions {
        partition: None,
        jobs: 1,
        shares_nodes: false,
        options: Vec::new(),
        numawise,
        words: words.to_vec(),
        directory: folder.path().to_owned(),
    };
    let (order, output) = (path("a job"), path("what it said"));
    let submission = Submission { name: "a", node: None, ranks: None, order: &order, output: &output };
    let script = OsString::from_vec(script(&options, &submission));
    assert!(Command::new("sh").arg("-c").arg(script).status().unwrap().success());
    let expected: Vec<u8> = words.iter().flat_map(|word| [word.as_bytes(), b","].concat()).collect();
    assert_eq!(std::fs::read(output).unwrap(), expected);
}
