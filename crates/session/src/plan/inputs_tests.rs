use super::super::testing::request;
use super::super::{RunPlan, for_display};
use super::*;

/// The plan of this line on two packages of four cores, with these files.
fn planned(line: &str, files: &[(&str, &str)], folder: Option<&str>) -> Result<RunPlan, Error> {
    let file = |(file, text): &(&str, &str)| InputTemplate { file: (*file).into(), text: (*text).into() };
    let inputs =
        InputsRequest { templates: files.iter().map(file).collect(), folder: folder.map(PathBuf::from) };
    let temporary = |name: &str| (name == "TMPDIR").then(|| "/scratch".into());
    let request = RunRequest { inputs, ..request(line) };
    for_display(&request, Some("pack:2 [numa] core:4 pu:1"), &temporary)
}

fn paths(plan: &RunPlan) -> Vec<String> {
    let shown = |file: FilledFile<'_>| format!("{}: {}", file.task, file.path.display());
    plan.filled_files().unwrap().into_iter().map(shown).collect()
}

fn line(plan: &RunPlan, typed: &str, task: usize) -> String {
    plan.command(&request(typed).command, &plan.placement.tasks[task])
        .unwrap()
        .shell_line_for_task(plan.placement.tasks[task].threads.len() as u32, plan.placement.tasks[task].task)
}

#[test]
fn each_task_has_its_folder_and_its_path_in_the_command() {
    let typed = "place=semi copies=2 app {template} {template:a.in} {template_dir} {{template}} {cpus}";
    let plan = planned(typed, &[("in/a.in", "{cpus}")], None).unwrap();
    assert_eq!(paths(&plan), ["0: /scratch/numawise-XXXXXX/0/a.in", "1: /scratch/numawise-XXXXXX/1/a.in"]);
    let folder = "/scratch/numawise-XXXXXX/1";
    let expected = format!("app {folder}/a.in {folder}/a.in {folder} {{template}} 4-7");
    assert!(line(&plan, typed, 1).ends_with(&expected), "{}", line(&plan, typed, 1));
}

#[test]
fn names_in_a_folder_of_the_users_are_not_filled_in() {
    let plan =
        planned("place=semi app {template}", &[("a.in", "")], Some("/x/{task}{threads}{cpus}")).unwrap();
    let line = line(&plan, "app {template}", 0);
    assert!(line.ends_with("/x/{task}{threads}{cpus}/0/a.in"), "{line}");
}

#[test]
fn a_rank_has_a_folder_by_its_number_in_the_job_where_all_share_one() {
    let files = [("a.in", "")];
    let mut plan = planned("place=semi app {template}", &files, Some("/x")).unwrap();
    (plan.rank_of_job, plan.local_rank) = (RankOfJob::Told(17), Some(1));
    assert_eq!(paths(&plan), ["1: /x/17/a.in"]);
    plan.rank_of_job = RankOfJob::Untold;
    let error = plan.filled_files().unwrap_err().to_string();
    assert!(error.starts_with("{rank} is not known: the launcher"), "{error}");
    let mut ours = planned("place=semi app {template}", &files, None).unwrap();
    ours.rank_of_job = RankOfJob::Untold;
    assert_eq!(paths(&ours), ["0: /scratch/numawise-XXXXXX/0/a.in"]);
}

#[test]
fn names_that_name_nothing_are_told_from_braces_of_the_program() {
    let files = [("a.in", "x\n{rank} {cpu}"), ("b.in", "{\"json\": {x}}")];
    let error = |files: &[(&str, &str)], line: &str| planned(line, files, None).unwrap_err().to_string();
    let known = "threads, task, rank, cpus, nodes, host, template:a.in, template, template_dir";
    let unknown = error(&files[..1], "app {template}");
    assert!(
        unknown.starts_with(&format!("a.in, line 2: {{cpu}} names nothing; there are: {known}")),
        "{unknown}"
    );
    let misspelt = error(&[("b.in", "")], "app {template_dir} {template:c.in}");
    assert!(misspelt.contains("{template:c.in}") && misspelt.contains("names nothing"), "{misspelt}");
    assert!(error(&[("b.in", "")], "app {b.in}").contains("nothing names the file that is made of b.in"));
    assert!(planned("app {template} {print}", &[("b.in", "{}")], None).is_ok());
}

#[test]
fn folders_with_other_files_stay_whole() {
    let folder = tempfile::tempdir().unwrap();
    let ours = folder.path().join("numawise-1");
    for task in ["0", "1"] {
        fs::create_dir_all(ours.join(task)).unwrap();
        fs::write(ours.join(task).join("a.in"), "").unwrap();
    }
    let templates = vec![InputTemplate { file: "a.in".into(), text: String::new() }];
    let inputs = RunInputs { templates, folder: ours.clone(), stay: false };
    fs::write(ours.join("1/a.log"), "result").unwrap();
    assert_eq!(inputs.clear(), [ours.join("1")]);
    assert!(!ours.join("0").exists() && ours.join("1/a.in").exists() && ours.join("1/a.log").exists());
    fs::remove_file(ours.join("1/a.log")).unwrap();
    assert!(inputs.clear().is_empty());
    assert!(!ours.exists());
}
