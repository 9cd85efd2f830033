use super::*;

fn words(text: &str) -> (Vec<String>, Vec<String>) {
    let words = read(text).unwrap();
    let texts = |all: Vec<OsString>| all.into_iter().map(|word| word.into_string().unwrap()).collect();
    (texts(words.options), texts(words.program))
}

#[test]
fn keys_are_options_and_lists_are_levels() {
    let (options, program) = words(
        r#"
        program = ["./app", "{threads}", 7]
        threads = "1..=8"
        copies = [1, 2]
        place = ["local", "semi"]
        memory = ["bind:0,1", "local"]
        repeats = 10
        search = true
        fresh = false
        where = ["threads<=cpus", "copies==1"]
        param.schedule = ["static", "dynamic,4"]
        env = { A = "x,y" }
        "#,
    );
    assert_eq!(program, ["./app", "{threads}", "7"]);
    let expected = [
        "--copies=1,2",
        "--env=A=x,y",
        "--memory=bind:0\\,1,local",
        "--param=schedule=static,dynamic\\,4",
        "--place=local,semi",
        "--repeats=10",
        "--search",
        "--threads=1..=8",
        "--where=threads<=cpus",
        "--where=copies==1",
    ];
    let mut options = options;
    options.sort_by_key(|word| word.split('=').next().map(str::to_owned));
    assert_eq!(options, expected);
}

#[test]
fn tables_keep_the_order_in_which_they_were_written() {
    let (options, _) = words(
        r#"
        command.old = "./app.old"
        command.new = "./app.new"
        command.mid = "./app.mid"
        param.z = [2, 1]
        param.a = ["y", "x"]
        "#,
    );
    let expected = [
        "--command=old=./app.old",
        "--command=new=./app.new",
        "--command=mid=./app.mid",
        "--param=z=2,1",
        "--param=a=y,x",
    ];
    assert_eq!(options, expected, "the first level is the baseline");
}

#[test]
fn what_makes_no_sense_says_so() {
    for (text, expected) in [
        ("program = \"./app\"", "'program' is a text; expected a list of words"),
        ("threads = 1979-05-27", "'threads' holds a date; expected a text or a number"),
        ("threads = { a = 1 }", "'threads' holds a table"),
        ("threads = [[1]]", "'threads' holds a list"),
        ("threads = ", "expected"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}
