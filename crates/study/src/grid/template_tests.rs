use super::*;

fn file(name: &str, text: &str) -> InputTemplate {
    InputTemplate { file: name.to_owned(), text: text.to_owned() }
}

#[test]
fn one_file_has_a_short_name_and_several_have_their_own() {
    let (grid, solver) = (file("in/grid.nml", ""), file("solver.nml", ""));
    assert_eq!(placeholders(std::slice::from_ref(&grid)), ["template:grid.nml", "template", "template_dir"]);
    assert_eq!(placeholders(&[grid, solver]), ["template:grid.nml", "template:solver.nml", "template_dir"]);
    assert!(placeholders(&[]).is_empty());
}

#[test]
fn what_names_nothing_is_told_with_its_line() {
    let templates = [file("a.nml", "n = {n}\n{{m}} {m=1:+x}\n")];
    let error = check(&templates, &["n", "task"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.nml, line 2: {m} names nothing; there are: n, task. Write {{m}} where the program is to get {m}"
    );
    assert_eq!(check(&templates, &["n", "m"]), Ok(()));
    assert_eq!(line_of("{{n}}\n{nn}\n{n}\n", "n"), 3);
}

#[test]
fn two_files_of_one_name_cannot_lie_side_by_side() {
    let error = check(&[file("a/in", ""), file("b/in", "")], &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a/in and b/in are both called in, and lie in the same folder once they are filled in; expected names that differ"
    );
}

#[test]
fn a_file_that_nothing_names_is_refused() {
    let words = |words: &[&'static str]| words.iter().map(|word| OsStr::new(*word)).collect::<Vec<_>>();
    let (one, other) = (file("a.nml", ""), file("b.nml", ""));
    let error = check_named(std::slice::from_ref(&one), words(&["./app", "a.nml"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "nothing names the file that is made of a.nml: write {template} where its path belongs, as in ./app {template}, or {template_dir} \
         for the folder that it lies in"
    );
    for named in [["-i{template}"], ["{template:a.nml}"], ["cd {template_dir} && app"]] {
        assert_eq!(check_named(std::slice::from_ref(&one), words(&named)), Ok(()), "{named:?}");
    }
    let both = [one, other];
    assert!(check_named(&both, words(&["{template:a.nml}"])).is_err());
    assert_eq!(check_named(&both, words(&["{template:a.nml}", "x{template:b.nml}"])), Ok(()));
    assert_eq!(check_named(&both, words(&["{template_dir}"])), Ok(()));
}
