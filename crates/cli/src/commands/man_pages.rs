//! `numawise man-pages FOLDER`: the man page of every command, for `make build`. Not shown in the help: who installs numawise has them.

use std::path::PathBuf;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use numawise_units::Arrange;

use super::{Failure, SUCCESS, Status};
use crate::files;

/// What `whatis numawise` shows; the commands have theirs in their help.
const PURPOSE: &str = "place threads, ranks and memory on NUMA nodes, and measure whether it matters";

const STATUSES: [(&str, &str); 5] = [
    ("0", "All is well; that of the program, where one was run and numawise passes its status on."),
    ("125", "numawise itself failed, or was called wrongly."),
    ("126", "The program was found and could not be executed."),
    ("127", "The program was not found."),
    ("128 + n", "The program was ended by signal n; 130 where numawise was interrupted."),
];

/// Write the man pages of all commands into a folder
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Arguments {
    /// A folder that is there
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// `shown` is the command line as people see it.
pub fn run(arguments: &Arguments, mut shown: Command) -> Result<Status, Failure> {
    let folder = &arguments.folder;
    if !folder.is_dir() {
        return Err(Failure::new(format!(
            "{}: man pages cannot be written there: it is no folder; expected one that is there, or make it first",
            folder.display()
        )));
    }
    shown.build();
    let question = shown.get_about().cloned().unwrap_or_default();
    let mut pages = Vec::new();
    collect("numawise", shown.about(PURPOSE).long_about(question), &mut pages);
    for page in &pages {
        let path = folder.join(format!("{}.1", name(page)));
        files::write(&path, text(page, &pages), "the man page")?;
    }
    Ok(SUCCESS)
}

/// A command and all below it, each with the name of its page as the name that is displayed.
fn collect(name: &str, command: Command, pages: &mut Vec<Command>) {
    let below: Vec<Command> = command.get_subcommands().cloned().collect();
    let command = command.subcommand_help_heading("COMMANDS").subcommand_value_name("COMMAND");
    pages.push(command.display_name(name.to_owned()));
    for command in below {
        collect(&format!("{name}-{}", command.get_name()), command, pages);
    }
}

/// As in `man numawise-machine-measure`.
fn name(page: &Command) -> &str {
    page.get_display_name().unwrap_or(page.get_name())
}

/// The pages of the command above, of those beside and of those below.
fn near<'a>(page: &Command, pages: &'a [Command]) -> Vec<&'a str> {
    let own = name(page);
    let above = |name: &str| name.rsplit_once('-').map(|(above, _)| above.to_owned());
    let is_near = |other: &str| {
        above(own).is_some_and(|above| other == above)
            || above(other).is_some_and(|of| of == own || Some(of) == above(own))
    };
    let mut near: Vec<&str> =
        pages.iter().map(name).filter(|other| *other != own && is_near(other)).collect();
    near.arrange();
    near
}

/// A page, with what the option parser does not know.
fn text(page: &Command, pages: &[Command]) -> Vec<u8> {
    let version = concat!("numawise ", env!("CARGO_PKG_VERSION"));
    let mut rendered = Vec::new();
    // A blank: an empty date would let what follows take its place.
    let man = Man::new(page.clone()).date(" ").source(version).manual("numawise");
    man.render(&mut rendered).expect("a vector takes everything");
    let rendered = String::from_utf8_lossy(&rendered).replace("\n.SH EXTRA\n", "\n.SH NOTES\n");
    let mut more = Roff::new();
    more.control("SH", ["EXIT STATUS"]);
    for (status, meaning) in STATUSES {
        more.control("TP", []).text([bold(status)]).text([roman(meaning)]);
    }
    more.control("SH", ["SEE ALSO"]);
    let others = near(page, pages).into_iter().map(|name| (name, "(1), ")).chain([("numawise", "(3)")]);
    more.text(others.flat_map(|(name, section)| [bold(name), roman(section)]).collect::<Vec<_>>());
    (rendered + &more.to_roff()).into_bytes()
}
