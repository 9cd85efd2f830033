//! A browser for the page. The address goes to it in a file that nobody else can read: a command line is seen by everybody on the computer.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::source::begin;

/// The file, which goes when this does.
pub struct Opened(PathBuf);

impl Drop for Opened {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Opens a browser where there is a display; the address was printed, so that nothing is lost where none comes.
pub fn open(address: &str) -> Option<Opened> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
        return None;
    }
    let folder = std::env::var_os("XDG_RUNTIME_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let path = folder.join(format!("numawise-view-{}.html", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).ok()?;
    let file_of_page = Opened(path);
    let page = format!("<!DOCTYPE html><meta http-equiv=\"refresh\" content=\"0; url={address}\">\n");
    file.write_all(page.as_bytes()).ok()?;
    let mut command = Command::new("xdg-open");
    command.arg(&file_of_page.0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    // Some browsers stay in the foreground.
    let _ = begin(Box::new(move || drop(child.wait())));
    Some(file_of_page)
}
