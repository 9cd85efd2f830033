//! The standard streams: results go out on the one, messages on the other.
//!
//! A message that cannot be written is dropped, and the work goes on: a full disk or a closed pipe behind the standard error is
//! no reason to lose what is measured. A result that cannot be written is a failure, but where nobody wants it: a closed pipe
//! has a reader who has seen enough, and who starts us with the standard output closed asks for nothing.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;

use numawise_linux::calls::{inherited, stream, terminal};
use numawise_linux::space;
use numawise_report::document::Style;
use numawise_units::harmless::paragraphs;

/// A message for the person at the terminal, in one piece, since ranks write there side by side. The last gate: whatever it quotes,
/// of a file or of a program, does not steer the terminal.
pub fn say(message: &str) {
    say_text(&format!("numawise: {}\n", paragraphs(message)));
}

/// A text that was laid out for the person at the terminal.
pub fn say_text(text: &str) {
    // SIGPIPE and SIGXFSZ would end us; a start without messages does not pay for that.
    inherited::take_signals();
    // There is nobody left to tell.
    let _ = stream::write_all(io::stderr().as_fd(), text.as_bytes());
}

/// A result that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to the standard output: {}", space::problem(.0))]
pub struct Unwritten(io::Error);

/// Prints on the standard output.
pub fn print(content: impl AsRef<[u8]>) -> Result<(), Unwritten> {
    print_while_read(content).map(drop)
}

/// The same for who would print more: false when nobody reads any more.
pub fn print_while_read(content: impl AsRef<[u8]>) -> Result<bool, Unwritten> {
    inherited::take_signals();
    match stream::write_all(io::stdout().as_fd(), content.as_ref()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        // Samples are taken all the same where they are kept in a record too.
        Err(_) if inherited::was_closed(1) => Ok(true),
        Err(error) => Err(Unwritten(error)),
    }
}

/// How to write for whoever reads the standard output.
pub fn style() -> Style {
    style_of(&io::stdout())
}

/// How to write for whoever reads a stream.
pub fn style_of(stream: &impl IsTerminal) -> Style {
    if !stream.is_terminal() {
        return Style::plain();
    }
    let width = match terminal::size() {
        (0, _) => Style::plain().width,
        (columns, _) => usize::from(columns),
    };
    Style { colour: is_coloured(stream), width, ..Style::plain() }
}

/// Whether what is written there may have colours.
pub fn is_coloured(stream: &impl IsTerminal) -> bool {
    let value = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    stream.is_terminal() && value("NO_COLOR").is_none() && value("TERM").is_none_or(|name| name != "dumb")
}
