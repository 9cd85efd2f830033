//! `numawise completions SHELL`: what a shell needs to complete our command line, printed.

use clap::ValueEnum;
use clap_complete::aot;

use super::{Failure, SUCCESS, Status};
use crate::streams;

/// Print the completions of the command line for a shell
#[derive(clap::Args)]
#[command(
    after_help = "bash looks for them in ~/.local/share/bash-completion/completions/numawise, fish in \
    ~/.config/fish/completions/numawise.fish, zsh in a file _numawise in a folder of its fpath."
)]
pub struct Arguments {
    /// The shell that is to complete
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// `shown` is the command line as people see it.
pub fn run(arguments: &Arguments, mut shown: clap::Command) -> Result<Status, Failure> {
    let shell = match arguments.shell {
        Shell::Bash => aot::Shell::Bash,
        Shell::Zsh => aot::Shell::Zsh,
        Shell::Fish => aot::Shell::Fish,
    };
    let mut text = Vec::new();
    aot::generate(shell, &mut shown, "numawise", &mut text);
    streams::print(text)?;
    Ok(SUCCESS)
}
