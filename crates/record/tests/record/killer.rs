//! Starts a writer again and again and kills it at any moment.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rusqlite::Connection;

/// Kills the process that a test of this program is when a variable is set.
pub struct Killer {
    test: &'static str,
    variable: &'static str,
    random: u64,
}

impl Killer {
    pub fn new(test: &'static str, variable: &'static str) -> Self {
        Killer { test, variable, random: 0x9e37_79b9_7f4a_7c15 }
    }

    /// Lets one write into the file and kills it: at any moment, and in every second round at one after it has kept something. The last
    /// number of which it said that it is kept.
    pub fn kill_one(&mut self, path: &Path, round: u32) -> Option<usize> {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", self.test, "--nocapture"])
            .env(self.variable, path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // xorshift: any spread of moments will do, the same every time.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let said = BufReader::new(writer.stdout.take().unwrap());
        let number = |line: String| line.split_once("kept ")?.1.parse::<usize>().ok();
        let mut kept = said.lines().map_while(Result::ok).filter_map(number);
        let first = if round.is_multiple_of(2) { kept.next() } else { None };
        std::thread::sleep(Duration::from_micros(self.random % 60_000));
        writer.kill().unwrap();
        let last = kept.last().or(first);
        writer.wait().unwrap();
        last
    }
}

/// SQLite finds nothing wrong with the file.
pub fn assert_whole(path: &Path) {
    let check: String =
        Connection::open(path).unwrap().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
}
