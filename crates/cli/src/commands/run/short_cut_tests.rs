use clap::Parser;

use super::*;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    run: Arguments,
}

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').filter(|word| !word.is_empty()).map(OsString::from).collect()
}

/// What the parser makes of a line; `None` when it refuses.
fn parsed(line: &str) -> Option<Arguments> {
    Typed::try_parse_from([OsString::from("run")].into_iter().chain(words(line))).ok().map(|typed| typed.run)
}

#[test]
fn numactls_lines_are_taken_as_the_parser_takes_them() {
    for line in [
        "app",
        "-- app",
        "-C 0 -m 0 app",
        "-C0 -m0 app -x -- -y",
        "--physcpubind=0-3 --membind 0 app --membind=1",
        "-N all -l app",
        "-N 0 -C 1 app",
        "-C 1 -N 0 app",
        "-C 1 -C 2 -N 1 -N 0 app",
        "-i all -- -odd-name",
        "-w 0-1 app",
        "-p +0 app",
        "-P !0 app",
        "--localalloc -- app",
        "--preferred-many=0,1 app",
        "--weighted-interleave 0 --cpunodebind 0 app {threads}",
        "-C x app",
        "--membind= app",
        "-b -m 0 app",
        "-m 0 --balancing app",
        "-b app",
        "-a -C all app",
        "--all -N 0 -l app",
        "-a -b -- app -a",
    ] {
        let taken = short_cut(words(line));
        assert!(taken.is_some(), "{line}");
        assert_eq!(taken, parsed(line), "{line}");
    }
}

#[test]
fn all_else_is_left_to_the_parser() {
    for line in [
        "",
        "--",
        "-C",
        "-C 0",
        "-C -1 app",
        "-C=0 app",
        "-m 0 -i 0 app",
        "-m 0 -m 0 app",
        "-l -l app",
        "-l -m 0 app",
        "-m 0 -l app",
        "--localalloc=yes app",
        "-lC 0 app",
        "-b -b app",
        "-b --balancing -m 0 app",
        "--balancing=on app",
        "--balancing=off app",
        "-b=off app",
        "-bm 0 app",
        "-a --all app",
        "-aC 0 app",
        "--all=yes app",
        "-a -b",
        "--place local app",
        "--dry-run app",
        "--help",
        "-h",
        "-v app",
        "-x app",
        "--cpubind=0 app",
        "--mem 0 app",
        "- app",
    ] {
        assert_eq!(short_cut(words(line)), None, "{line}");
    }
}

/// Whatever is typed, the short cut never says something else than the parser.
#[test]
fn any_line_that_is_taken_means_the_same_to_the_parser() {
    let vocabulary = [
        "-C",
        "-N",
        "-m",
        "-i",
        "-l",
        "-p",
        "--",
        "0",
        "all",
        "-C0",
        "-lm",
        "-b",
        "-a",
        "--balancing",
        "--membind=0",
        "--membind",
        "-C=1",
        "app",
        "-",
        "=",
    ];
    let number = vocabulary.len();
    let mut taken = 0;
    for code in 0..number.pow(3) {
        let line: Vec<&str> = (0..3).map(|k| vocabulary[code / number.pow(k) % number]).collect();
        let line = format!("{} app", line.join(" "));
        if let Some(arguments) = short_cut(words(&line)) {
            taken += 1;
            assert_eq!(Some(arguments), parsed(&line), "{line}");
        }
    }
    assert!(taken > 500, "{taken} lines were taken");
}
