use clap::Parser;

use super::*;
use crate::commands::run::Arguments;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    run: Arguments,
}

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').filter(|word| !word.is_empty()).map(OsString::from).collect()
}

/// What the parser makes of a line; `None` when it refuses, or when there are other options too.
fn parsed(line: &str) -> Option<(NumactlOptions, Vec<OsString>)> {
    let typed = Typed::try_parse_from([OsString::from("run")].into_iter().chain(words(line))).ok()?;
    let Arguments { numactl, command, .. } = typed.run.clone();
    let nothing_else =
        Arguments { numactl: numactl.clone(), command: command.clone(), ..Arguments::default() };
    (typed.run == nothing_else).then_some((numactl, command))
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
        let taken = scan(words(line));
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
        "--p 0 app",
        "--C 0 app",
        "--l app",
        "- app",
    ] {
        assert_eq!(scan(words(line)), None, "{line}");
    }
}

/// Whatever is typed, the scan never gives something else than the parser.
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
        "--p",
        "--m",
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
        if let Some(taken_options) = scan(words(&line)) {
            taken += 1;
            assert_eq!(Some(taken_options), parsed(&line), "{line}");
        }
    }
    assert!(taken > 500, "{taken} lines were taken");
}

/// getopt's abbreviations, numactl's as they were observed with numactl 2.0.16.
#[test]
fn every_option_has_its_name_its_letter_and_its_beginnings_in_both_readers() {
    for option in &OPTIONS {
        let value = option.value.map(|_| "0").unwrap_or_default();
        let letter = (option.short != NO_LETTER).then(|| format!("-{}", option.short));
        let names = [Some(format!("--{}", option.long)), letter];
        let beginnings =
            (option.least..option.long.len()).map(|length| format!("--{}", &option.long[..length]));
        let program = match option.meaning {
            Meaning::Show | Meaning::Hardware => "",
            Meaning::RangesOfCpus => "-H",
            _ => "app",
        };
        let whole = parsed(&format!("--{} {value} {program}", option.long));
        assert!(whole.is_some(), "{}", option.long);
        for name in names.into_iter().flatten().chain(beginnings) {
            assert_eq!(parsed(&format!("{name} {value} {program}")), whole, "{name}");
        }
    }
}
