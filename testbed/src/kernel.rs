//! The guest's kernel: Debian's, fetched once by `kernel.sh`.

use crate::Error;
use crate::compile::{own_file, work_dir};
use crate::lock::lock;
use std::path::PathBuf;
use std::process::Command;

/// Path of the kernel image; downloaded on the first call.
///
/// # Errors
/// When it cannot be had; the script's words say why.
pub(crate) fn image() -> Result<PathBuf, Error> {
    let script = own_file("kernel.sh");
    let program = script.display().to_string();
    let _one_download = lock("kernel", true)?;
    let output = Command::new("bash").arg(&script).arg(work_dir()).output();
    let advice = "Install bash";
    let output = output.map_err(|source| Error::Start { program: program.clone(), source, advice })?;
    if !output.status.success() {
        let output_text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::Failed { program, status: output.status, output: output_text });
    }
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}
