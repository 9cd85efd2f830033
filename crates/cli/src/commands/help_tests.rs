use clap::CommandFactory;

use super::super::Arguments;
use super::*;

/// Lines of a terminal of 100 columns.
const SCREEN: usize = 60;

fn help(command: &str, word: &str) -> String {
    let words = ["numawise", command, word].map(OsString::from);
    let all = in_short(Arguments::command().term_width(100), &words);
    all.try_get_matches_from(&words).unwrap_err().to_string()
}

#[test]
fn help_in_short_is_one_screen_of_what_is_there() {
    for (name, shown) in SHORT {
        let (short, all) = (help(name, "-h"), help(name, "--help"));
        assert!(short.lines().count() <= SCREEN, "{name}: {} lines", short.lines().count());
        assert!(all.lines().count() > short.lines().count() && short.contains("shows all options"), "{name}");
        let command = Arguments::command();
        let known: Vec<&str> =
            command.find_subcommand(name).unwrap().get_arguments().map(|one| one.get_id().as_str()).collect();
        for id in shown {
            assert!(known.contains(id), "{name} has no {id}");
        }
    }
}

#[test]
fn each_line_of_the_front_page_is_one_that_is_understood() {
    for line in QUESTIONS.lines().filter_map(|line| line.trim().strip_prefix("numawise ")) {
        let words = std::iter::once("numawise").chain(line.split(' '));
        Arguments::command().try_get_matches_from(words).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}
