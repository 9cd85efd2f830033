//! The full-screen view, in tmux as a person has it.

use std::io::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use super::support::Process;

/// A terminal with a shell in it.
struct Terminal {
    server: String,
}

/// How long a screen may take until it shows what is waited for: much longer than it takes anywhere.
const PATIENCE: Duration = Duration::from_secs(120);

impl Terminal {
    /// `None`, and a word about it, where there is no tmux.
    fn open(name: &str) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            let _ = writeln!(std::io::stderr(), "SKIPPED: tmux is not installed");
            return None;
        }
        let terminal = Terminal { server: format!("numawise-where-{}-{name}", std::process::id()) };
        let shell = "PS1='$ ' exec sh -i";
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", shell]);
        terminal.wait_for("$");
        Some(terminal)
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.args(["-u", "-L", &self.server]).args(arguments);
        command.env("LANG", "C.UTF-8").env("LC_ALL", "C.UTF-8").env_remove("NO_COLOR").env_remove("TMUX");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn type_line(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
        self.press("Enter");
    }

    fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    fn watch(&self, arguments: &str) {
        self.type_line(&format!("{} where --watch {arguments}", env!("CARGO_BIN_EXE_numawise")));
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if is_so(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "waited for {what}; the screen shows:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// Waits until the shell asks for a line: then the terminal is as the program has left it.
    fn wait_for_shell(&self) {
        let asks = |screen: &str| screen.trim_end().lines().next_back() == Some("$");
        self.wait_until("the shell", |screen| asks(screen) && self.alternate() == "0 1");
    }

    /// The shell is back, with what a line that was typed is shown as, and the cursor.
    fn is_restored(&self, status: u8) {
        self.wait_for_shell();
        self.type_line("echo status $? and $((40 + 2))");
        let screen = self.wait_for(&format!("status {status} and 42"));
        assert!(screen.contains("echo status"), "what is typed is shown: {screen}");
    }

    /// Whether the alternate screen is on, and whether the cursor is shown.
    fn alternate(&self) -> String {
        self.tmux(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]).trim().to_owned()
    }

    /// The process that runs in the shell.
    fn child(&self) -> i32 {
        let shell = self.tmux(&["display-message", "-p", "#{pane_pid}"]);
        let shell = shell.trim();
        let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
        children.split_whitespace().next().unwrap().parse().unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // When the test fails its message says more than what tmux has to say.
        let _ = Command::new("tmux").args(["-L", &self.server, "kill-server"]).output();
    }
}

#[test]
fn a_person_sorts_filters_and_drills_down() {
    let Some(terminal) = Terminal::open("person") else { return };
    let (one, two, busy) = (Process::idle(), Process::idle(), Process::busy());
    terminal.watch(&format!("{} {} {}", one.pid(), two.pid(), busy.pid()));
    let screen = terminal.wait_for("3 tasks, by number");
    assert!(screen.contains("q quit") && screen.contains("h help"), "{screen}");
    // Sorted by CPU, the busy one is on top.
    terminal.press("s");
    terminal.wait_for("by name");
    terminal.press("s");
    terminal.wait_for("by number of threads");
    terminal.press("s");
    terminal.wait_for("by CPU, largest first");
    let below = |screen: &str| {
        screen.lines().skip_while(|line| !line.contains("BUSY")).nth(1).unwrap_or("").to_owned()
    };
    terminal.wait_until("the busy one on top", |screen| below(screen).contains(&busy.pid()));
    terminal.press("r");
    terminal.wait_until("the busy one below", |screen| !below(screen).contains(&busy.pid()));
    // A filter.
    terminal.press("/");
    terminal.tmux(&["send-keys", "-l", "sleep"]);
    terminal.press("Enter");
    let listed = |screen: &str, pid: &str| screen.lines().skip(1).any(|line| line.contains(pid));
    terminal.wait_until("two of them", |screen| {
        screen.contains("2 match 'sleep'") && !listed(screen, &busy.pid()) && listed(screen, &one.pid())
    });
    terminal.press("Escape");
    terminal.wait_until("all again", |screen| listed(screen, &busy.pid()));
    // Down into the first of them, and up again.
    terminal.press("r");
    terminal.wait_until("the busy one on top", |screen| below(screen).contains(&busy.pid()));
    terminal.press("Enter");
    terminal.wait_for(&format!("threads of {}", busy.pid()));
    terminal.press("m");
    let screen = terminal.wait_for(&format!("mappings of {}", busy.pid()));
    assert!(screen.contains("[stack]") || screen.contains("stack"), "{screen}");
    terminal.press("Escape");
    terminal.wait_for("threads of");
    terminal.press("Escape");
    terminal.wait_for("3 tasks");
    terminal.press("h");
    terminal.wait_for("any key goes back");
    terminal.press("x");
    terminal.press("p");
    terminal.wait_for("PAUSED");
    terminal.press("p");
    terminal.press("+");
    terminal.wait_for("every 2 s");
    terminal.press("q");
    terminal.is_restored(0);
}

#[test]
fn the_screen_changes_its_size() {
    let Some(terminal) = Terminal::open("size") else { return };
    let process = Process::idle();
    terminal.watch(&process.pid());
    terminal.wait_for("1 thread, by CPU");
    terminal.tmux(&["resize-window", "-x", "30", "-y", "6"]);
    terminal.wait_for("needs at least 40 x 8");
    terminal.tmux(&["resize-window", "-x", "200", "-y", "50"]);
    terminal.wait_until("a screen of its size", |screen| {
        let first = screen.lines().next().unwrap_or_default();
        first.ends_with("every 1 s") && screen.lines().count() == 50 && screen.contains("h help")
    });
    terminal.press("C-c");
    terminal.is_restored(0);
}

#[test]
fn signals_give_the_terminal_back() {
    let Some(terminal) = Terminal::open("signals") else { return };
    let process = Process::idle();
    for (signal, status) in [(libc::SIGTERM, 143), (libc::SIGINT, 130)] {
        terminal.watch(&process.pid());
        terminal.wait_for("1 thread, by CPU");
        // SAFETY: kill touches no memory of ours.
        assert_eq!(unsafe { libc::kill(terminal.child(), signal) }, 0);
        terminal.is_restored(status);
        terminal.type_line("clear");
        terminal.wait_until("an empty screen", |screen| !screen.contains("status"));
    }
}

#[test]
fn it_stops_and_goes_on() {
    let Some(terminal) = Terminal::open("stop") else { return };
    let process = Process::idle();
    terminal.watch(&process.pid());
    terminal.wait_for("1 thread, by CPU");
    terminal.press("C-z");
    terminal.wait_for_shell();
    terminal.type_line("echo stopped $((40 + 2))");
    terminal.wait_for("stopped 42");
    terminal.type_line("fg");
    terminal.wait_for("1 thread, by CPU");
    terminal.press("q");
    terminal.is_restored(0);
}

#[test]
fn processes_end_while_they_are_watched() {
    let Some(terminal) = Terminal::open("end") else { return };
    let (mut one, mut two) = (Process::idle(), Process::idle());
    terminal.watch(&format!("{} {}", one.pid(), two.pid()));
    terminal.wait_for("2 tasks");
    one.end();
    terminal.wait_until("one that has ended", |screen| screen.matches("ended").count() == 1);
    two.end();
    let screen = terminal.wait_for("all have ended: this is what was last seen; q leaves");
    assert!(screen.contains(&two.pid()), "{screen}");
    terminal.press("q");
    terminal.is_restored(0);
}

#[test]
fn a_connection_that_breaks_leaves_no_process_behind() {
    let Some(terminal) = Terminal::open("broken") else { return };
    let process = Process::idle();
    // Even where the signal that tells of it is ignored.
    terminal.type_line("trap '' HUP");
    terminal.watch(&process.pid());
    terminal.wait_for("1 thread, by CPU");
    let numawise = terminal.child();
    drop(terminal);
    let begun = Instant::now();
    while std::path::Path::new(&format!("/proc/{numawise}")).exists() {
        assert!(begun.elapsed() < PATIENCE, "it still runs");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_cannot_be_watched_leaves_the_terminal_as_it_was() {
    let Some(terminal) = Terminal::open("refused") else { return };
    terminal.watch("no-such-program-anywhere");
    terminal.wait_for("no process is called 'no-such-program-anywhere'");
    terminal.is_restored(125);
    terminal.type_line(&format!("TERM=dumb {} where --watch $$", env!("CARGO_BIN_EXE_numawise")));
    terminal.wait_for("view needs a terminal that can move its cursor");
}
