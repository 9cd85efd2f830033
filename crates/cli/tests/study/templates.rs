//! Input files that are filled in for each trial.

use super::{Bench, points};

fn write(bench: &Bench, name: &str, text: impl AsRef<[u8]>) {
    std::fs::write(bench.path(name), text).unwrap();
}

#[test]
fn the_program_gets_the_path_of_its_input_file_filled_in() {
    let bench = Bench::new();
    write(&bench, "case.nml", "n={n} {n:+more} {n=3:+three} t={threads} {{n}} {\"json\": 1}\n");
    let words = ["--template", "case.nml", "--param", "n=1,3", "--threads", "2", "--repeats", "2"];
    let study = bench.json(&[&words[..], &["--", "sh", "-c", "cat \"{template}\" >> log"]].concat());
    assert_eq!(bench.log(), ["n=1   t=2 {n} {\"json\": 1}", "n=3 more three t=2 {n} {\"json\": 1}"]);
    assert_eq!(points(&study)[0]["command"], "sh -c 'cat \"{template}\" >> log'");
    assert_eq!(study["templates"][0]["file"], "case.nml");
    assert!(!bench.path("sh.study.nw.inputs").exists(), "they go with the study");
    assert_eq!(std::fs::read_dir(bench.folder.path()).unwrap().count(), 3, "template, log and record");
}

#[test]
fn each_copy_has_its_own_and_a_program_with_a_fixed_name_runs_beside_it() {
    let bench = Bench::new();
    write(&bench, "INPUT", "copy {task} of {copies}\n");
    // It reads INPUT where it runs, and writes beside it; the other copy does the same at the same time.
    write(&bench, "app", "#!/bin/sh\ntest -e out && exit 7\ncat INPUT > out; cat out >> \"$OLDPWD/log\"\n");
    let words = ["--template", "INPUT", "--copies", "1,2", "--repeats", "3", "--"];
    let study = bench.json(&[&words[..], &["sh", "-c", "cd {template_dir} && sh \"$OLDPWD/app\""]].concat());
    for point in points(&study) {
        assert_eq!((&point["n"], &point["failures"]), (&3.into(), &0.into()), "{point}");
    }
    assert_eq!(bench.log(), ["copy 0 of 1", "copy 0 of 2", "copy 1 of 2"]);
}

#[test]
fn a_command_and_its_files_are_told_the_cpus_of_each_copy() {
    let bench = Bench::new();
    write(&bench, "case.gjf", "%cpu={cpus} {{cpus}} {nodes} {host}\n");
    let words =
        ["--template", "case.gjf", "--copies", "1,2", "--place", "local", "--threads", "1", "--repeats", "2"];
    // Its mask is what it was told, and stands in its file too.
    let program = r#"test "$(taskset -cp $$ | sed 's/.*: //')" = {cpus} && grep -q "^%cpu={cpus} {{cpus}} {nodes} $(uname -n)$" {template} && echo {cpus} >> log"#;
    let study = bench.json(&[&words[..], &["--", "sh", "-c", program]].concat());
    for point in points(&study) {
        assert_eq!((&point["n"], &point["failures"]), (&2.into(), &0.into()), "{point}");
    }
    let told = bench.log();
    assert!(told.iter().all(|cpus| cpus.parse::<u32>().is_ok()), "{told:?}");
    let line = points(&study)[0]["command"].as_str().unwrap();
    assert!(line.contains("= {cpus} &&"), "numawise run fills it in: {line}");
}

#[test]
fn several_files_have_their_names_and_what_is_around_a_trial_knows_them_too() {
    let bench = Bench::new();
    write(&bench, "a.in", "a{n}\nb is {template:b.in}\n");
    write(&bench, "b.in", "value: {n}.5\n");
    let words = ["--template", "a.in", "--template", "b.in", "--param", "n=1,2", "--repeats", "2"];
    let around = ["--prepare", "cp {template:b.in} INPUT", "--verify", "grep -q value {template_dir}/out"];
    let metric = ["--metric-file", "{template_dir}/out", "--metric", "value: ([0-9.]+)"];
    let command = [
        "--",
        "sh",
        "-c",
        "cmp INPUT $(tail -n 1 {template:a.in} | cut -c 6-) && cp INPUT {template_dir}/out",
    ];
    let study = bench.json(&[&words[..], &around, &metric, &command].concat());
    let medians: Vec<_> = points(&study).iter().map(|of| of["metrics"]["metric"]["median"].clone()).collect();
    assert_eq!(medians, [1.5, 2.5], "{study}");
}

#[test]
fn doubled_braces_keep_placeholders_of_files_in_files_and_commands() {
    let bench = Bench::new();
    write(&bench, "a.in", "{n} {task} {{task}} {{threads}} {{template}} {{template:a.in}}\n");
    let words = ["--template", "a.in", "--param", "n=1,2", "--repeats", "1", "--", "sh", "-c"];
    bench.json(
        &[&words[..], &["cat {template} >> log; echo '{{template}} {{template:a.in}}' >> log"]].concat(),
    );
    let in_file = "{task} {threads} {template} {template:a.in}";
    assert_eq!(
        bench.log(),
        [format!("1 0 {in_file}"), format!("2 0 {in_file}"), "{template} {template:a.in}".to_owned()]
    );
}

#[test]
fn a_study_goes_on_with_the_file_that_it_was_begun_with() {
    let bench = Bench::new();
    write(&bench, "case.nml", "n={n}\ndt=0.1\n");
    let words = ["--template", "case.nml", "--param", "n=1,2", "--repeats", "1", "--", "cat", "{template}"];
    bench.json(&words);
    assert_eq!(bench.json(&words)["trials"], 2);
    write(&bench, "case.nml", "n={n}\ndt=0.2\n");
    let said = bench.refused(&words);
    for expected in ["template case.nml, line 2", "dt=0.1", "dt=0.2", "--fresh starts over"] {
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(bench.json(&[&["--fresh"], &words[..]].concat())["trials"], 2);
}

#[test]
fn a_file_of_a_study_names_its_input_files() {
    let bench = Bench::new();
    write(&bench, "a.in", "{n}\n");
    write(
        &bench,
        "s.toml",
        "program = [\"cat\", \"{template}\"]\ntemplate = [\"a.in\"]\nparam.n = [\"1\", \"2\"]\nrepeat = 1\n",
    );
    assert_eq!(points(&bench.json(&["s.toml"])).len(), 2);
}

#[test]
fn what_a_killed_study_left_is_in_nobodys_way_and_what_is_not_ours_stays() {
    let bench = Bench::new();
    write(&bench, "a.in", "{n}\n");
    std::fs::create_dir_all(bench.path("cat.study.nw.inputs/0/old")).unwrap();
    let words = ["--template", "a.in", "--param", "n=1,2", "--repeats", "1", "--", "cat", "{template}"];
    bench.json(&words);
    assert!(!bench.path("cat.study.nw.inputs").exists());
    std::fs::create_dir_all(bench.path("cat.study.nw.inputs/notes")).unwrap();
    let said = bench.refused(&[&["--fresh"], &words[..]].concat());
    assert!(said.contains("--template:") && said.contains("notes is there already"), "{said}");
    assert!(bench.path("cat.study.nw.inputs/notes").is_dir());
    std::fs::remove_dir_all(bench.path("cat.study.nw.inputs")).unwrap();
    write(&bench, "cat.study.nw.inputs", "a file");
    let said = bench.refused(&[&["--fresh"], &words[..]].concat());
    assert!(said.contains("cannot write") && said.contains("--output FILE names another folder"), "{said}");
}

#[test]
fn broken_input_files_say_what_was_expected() {
    let bench = Bench::new();
    write(&bench, "a.in", "x\n{n} {m}\n");
    write(&bench, "b.in", "{n}\n");
    write(&bench, "zero.in", "{n}\0");
    write(&bench, "large.in", vec![b'x'; 2 << 20]);
    std::fs::create_dir(bench.path("in")).unwrap();
    write(&bench, "in/b.in", "{n}\n");
    let param = ["--param", "n=1,2"];
    for (files, command, expected) in [
        (
            &["a.in"][..],
            "{template}",
            "--template: a.in, line 2: {m} names nothing; there are: n, threads, task, cpus, nodes, host, template:a.in",
        ),
        (&["b.in"], "b.in", "--template: nothing names the file that is made of b.in: write {template}"),
        (&["none.in"], "{template}", "--template: none.in: it cannot be read: No such file"),
        (&["in"], "{template}", "in: it is no plain file"),
        (&["zero.in"], "{template}", "zero.in: it is no text, byte 3"),
        (
            &["large.in"],
            "{template}",
            "large.in: it makes 2 MiB with the other input files, and 1 MiB is the most",
        ),
        (&["b.in", "in/b.in"], "{template_dir}", "b.in and in/b.in are both called b.in"),
        (
            &["b.in"],
            "{template} {template:c.in}",
            "{template:c.in} in '{template} {template:c.in}' names nothing",
        ),
    ] {
        let files: Vec<&str> = files.iter().flat_map(|file| ["--template", *file]).collect();
        let said = bench.refused(&[&files[..], &param, &["--", "cat", command]].concat());
        assert!(said.contains(expected), "{files:?}: {said}");
    }
    let said = bench.refused(&["--template", "b.in", "--param", "template=1,2", "--", "cat", "{template}"]);
    assert!(said.contains("template names a parameter"), "{said}");
    assert!(!bench.path("cat.study.nw").exists(), "nothing was begun");
}
