//! The life of a watched process: its begin, its forks, its end.

use core::sync::atomic::Ordering::Relaxed;

use numawise_guest::sandbox::{self, Hooks};
use numawise_guest::system::{self, SavedErrno};
use numawise_guest::{process, python, threads};
use numawise_wire::heap::rules::RULES;
use numawise_wire::heap::{ALL, DEFAULT_DRAWN, DEFAULT_LEAST, DRAWN, FOLDER, LEAST, MOST_SAMPLES, TIMER};

use crate::local::local;
use crate::log::Settings;
use crate::{call, code, draw, function, log, modules, readable, rules, stacks, timer};

/// Begins to watch the process, where the environment asks for it.
pub fn begin() {
    let _errno = SavedErrno::new();
    function::look_all_up();
    let least = system::number(LEAST).unwrap_or(DEFAULT_LEAST).max(1);
    let per_second = system::number(TIMER).unwrap_or(0).min(MOST_SAMPLES);
    let settings = Settings {
        least,
        drawn: system::number(DRAWN).unwrap_or(DEFAULT_DRAWN),
        period: 1_000_000_000u64.checked_div(per_second).unwrap_or(0),
    };
    // Its runtime stands before the allocator itself, and wants to be the first.
    let has_other = !system::next_symbol(c"__asan_init").is_null();
    let folder = system::variable(FOLDER).filter(|_| !has_other);
    let begins = log::prepare(folder, settings, forget);
    if begins {
        readable::find_top();
        python::look_up();
        code::fill(log::now());
        draw::set_mean(settings.drawn);
        call::IS_ALL.store(system::number(ALL).is_some_and(|all| all > 0), Relaxed);
        process::at_fork(in_child);
        if settings.period > 0 {
            threads::look_up();
            timer::prepare();
        }
    }
    let begun = begins && log::start(0);
    let has_rules = !has_other && system::variable(RULES).is_some_and(rules::begin);
    if has_rules && !begins {
        readable::find_top();
        process::at_fork(in_child);
    }
    if begun || has_rules {
        sandbox::begin(Hooks { before, entered, refused, is_copy, from_promise: true });
    }
    call::LEAST.store(if begun || has_rules { least } else { u64::MAX }, Relaxed);
    if begun && settings.period > 0 {
        timer::begin();
        threads::watch(arrived);
    }
}

/// The process asks for a sandbox: the last moment at which the kernel may be asked for anything. A sample would be one that the program has not
/// allowed, and so would the return from its handler.
fn before(_: bool) {
    if !sandbox::is_quiet() && log::log().is_some() {
        timer::stop();
    }
}

fn entered() {
    log::note_sandbox();
}

fn refused() {
    if log::log().is_some() {
        timer::resume();
    }
}

fn is_copy() -> bool {
    process::generation() == 0
}

/// What a child of fork has of its parent and cannot use.
fn forget() {
    stacks::begin_child();
    code::begin_child();
}

fn arrived(_: usize) {
    timer::begin_thread();
}

unsafe extern "C" fn in_child() {
    let _errno = SavedErrno::new();
    threads::begin_child();
    modules::begin_child();
    if log::forked() && !sandbox::is_quiet() {
        timer::begin_child();
    }
}

pub extern "C" fn end() {
    let _errno = SavedErrno::new();
    if let Some(log) = log::log() {
        let local = local();
        local.budget.pass_all(&local.countdowns);
        call::tell(&log, local, true);
    }
    log::end();
}
