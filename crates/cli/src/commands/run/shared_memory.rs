//! numactl's options for shared memory: from what was typed to what is asked for.

use std::path::PathBuf;

use numawise_linux::calls::shared::Region;
use numawise_session::shared_memory::{SharedPlace, SharedRequest};
use numawise_units::Bytes;

use super::super::Failure;
use super::arguments::Arguments;
use super::numactl::Shared;

/// # Errors
/// When no memory is named, or what belongs to a program was typed too.
pub fn request(typed: &Arguments, option: &str) -> Result<SharedRequest, Failure> {
    let numactl = &typed.numactl;
    let place = match (numactl.shared(Shared::File), numactl.shared(Shared::Key)) {
        (Some(file), None) => SharedPlace::File(PathBuf::from(file)),
        (None, Some(key)) => SharedPlace::Key(PathBuf::from(key), id(numactl.shared(Shared::Id))?),
        (Some(_), Some(_)) => {
            return Err(Failure::new("--file and --shm are two memories; expected one of them"));
        }
        (None, None) => {
            let instead =
                if option == "huge" { " (for huge pages of a program: --page-size huge)" } else { "" };
            return Err(Failure::new(format!(
                "--{option} is about shared memory; expected --file FILE or --shm KEYFILE with it{instead}"
            )));
        }
    };
    if let Some(program) = typed.command.first() {
        return Err(Failure::new(format!(
            "'{}' would not be started: --{option} sets up shared memory, which outlives a program; run the program in a second \
             command",
            program.display()
        )));
    }
    if numactl.cpus().is_some()
        || numactl.nodes().is_some()
        || typed.placement != Default::default()
        || !typed.template.is_empty()
    {
        return Err(Failure::new(format!(
            "--{option} sets up shared memory, which has no CPUs and none of the options of a program; expected a memory policy \
             of numactl's, --touch, --verify, --dump or --dump-nodes"
        )));
    }
    let size = |what| numactl.shared(what).map(size).transpose();
    let region = Region {
        offset: size(Shared::Offset)?.unwrap_or(Bytes(0)),
        length: size(Shared::Length)?,
        mode: mode(numactl.shared(Shared::Mode))?,
        huge: numactl.shared(Shared::Huge).is_some(),
    };
    let strict = numactl.shared(Shared::Strict).is_some();
    Ok(SharedRequest { place, region, strict, steps: numactl.steps() })
}

/// As numactl: bytes without a unit, `k`, `m` and `g` in powers of 1,024.
fn size(text: &str) -> Result<Bytes, Failure> {
    if let Ok(bytes) = text.parse() {
        return Ok(Bytes(bytes));
    }
    text.parse().map_err(|error| Failure::new(format!("{error}")))
}

fn id(text: Option<&str>) -> Result<i32, Failure> {
    let wrong = |text: &str| Failure::new(format!("--shmid '{text}': expected a number from 0 to 255"));
    text.map_or(Ok(0), |text| text.parse::<u8>().map(i32::from).map_err(|_| wrong(text)))
}

fn mode(text: Option<&str>) -> Result<u32, Failure> {
    let wrong = |text: &str| Failure::new(format!("--shmmode '{text}': expected an octal mode, such as 600"));
    let read = |text: &str| u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777);
    text.map_or(Ok(0o600), |text| read(text).ok_or_else(|| wrong(text)))
}
