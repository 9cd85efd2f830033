//! Texts of the caller's.

use std::ffi::{CStr, c_char};

use crate::status::CallError;

/// A text of the caller's; nothing for NULL.
///
/// # Safety
/// It is null or ends with a null byte.
pub unsafe fn text<'a>(text: *const c_char, argument: &'static str) -> Result<Option<&'a str>, CallError> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let found = unsafe { CStr::from_ptr(text) };
    let found = found.to_str().map_err(|_| CallError::invalid(argument, "not UTF-8".to_owned(), "text"))?;
    Ok(Some(found))
}
