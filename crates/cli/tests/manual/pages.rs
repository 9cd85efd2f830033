//! Man pages and completions: one of each command, and none of what the help does not show.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

fn numawise(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_numawise")).args(words).output().unwrap()
}

fn printed(words: &[&str]) -> String {
    let output = numawise(words);
    assert!(output.status.success() && output.stderr.is_empty(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that the help of a command shows.
fn commands(of: &[&str]) -> Vec<String> {
    let help = printed(&[of, &["--help"]].concat());
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter(|line| line.starts_with("  "));
    names
        .filter(|line| !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect()
}

fn is_there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("SKIPPED in part: {program} is not installed");
    }
    there
}

#[test]
fn every_command_has_a_man_page_that_man_shows_without_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    printed(&["man-pages", folder.path().to_str().unwrap()]);
    let pages = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|page| page.unwrap().file_name().into_string().unwrap());
    let pages: BTreeSet<String> = pages.collect();
    let mut expected = BTreeSet::from(["numawise.1".to_owned()]);
    for command in commands(&[]) {
        expected.insert(format!("numawise-{command}.1"));
        expected.extend(commands(&[&command]).iter().map(|below| format!("numawise-{command}-{below}.1")));
    }
    assert_eq!(pages, expected);
    assert!(pages.contains("numawise-machine-measure.1") && pages.contains("numawise-run.1"), "{pages:?}");
    let of_run = std::fs::read_to_string(folder.path().join("numawise-run.1")).unwrap();
    for expected in
        ["numawise\\-run \\- Run a program", "physcpubind", ".SH \"EXIT STATUS\"", "numawise\\-check"]
    {
        assert!(of_run.contains(expected), "{expected}: {of_run}");
    }
    if is_there("groff") {
        pages.iter().for_each(|page| is_shown_without_a_warning(&folder.path().join(page)));
    }
}

fn is_shown_without_a_warning(page: &Path) {
    let shown = Command::new("groff").args(["-man", "-Tutf8", "-ww"]).arg(page).output().unwrap();
    let warnings = String::from_utf8_lossy(&shown.stderr);
    assert!(shown.status.success() && warnings.is_empty(), "{}: {warnings}", page.display());
}

#[test]
fn man_pages_need_a_folder() {
    let refused = numawise(&["man-pages", "/dev/null"]);
    assert_eq!(refused.status.code(), Some(125));
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(message.starts_with("numawise: /dev/null: man pages cannot be written there"), "{message}");
}

#[test]
fn each_shell_completes_every_command_that_the_help_shows() {
    for (shell, words) in [("bash", &["-n"][..]), ("zsh", &["-n"]), ("fish", &["--no-execute"])] {
        let text = printed(&["completions", shell]);
        for command in commands(&[]) {
            assert!(text.contains(&command), "{shell}: {command}");
        }
        assert!(text.contains("physcpubind") && !text.contains("man-pages"), "{shell}: {text}");
        if is_there(shell) {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("completions");
            std::fs::write(&file, text).unwrap();
            let read = Command::new(shell).args(words).arg(&file).output().unwrap();
            assert!(read.status.success() && read.stderr.is_empty(), "{shell}: {read:?}");
        }
    }
    let refused = numawise(&["completions", "tcsh"]);
    assert_eq!(refused.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("[possible values: bash, zsh, fish]"));
}

/// bash offers the words of a line as far as it was typed.
#[test]
fn bash_offers_what_the_line_may_go_on_with() {
    let script = format!(
        "{}\nCOMP_WORDS=(numawise machine me)\nCOMP_CWORD=2\n_numawise numawise me machine\necho \"${{COMPREPLY[@]}}\"",
        printed(&["completions", "bash"])
    );
    let Ok(offered) = Command::new("bash").arg("-c").arg(script).output() else {
        eprintln!("SKIPPED: bash is not installed");
        return;
    };
    assert_eq!(String::from_utf8_lossy(&offered.stdout), "measure\n", "{offered:?}");
}
