//! What OpenMP's variables say.

#[cfg(test)]
mod tests;

/// The number of threads of the outermost region in a value of `OMP_NUM_THREADS`, which is a list for nested ones.
pub fn outermost(value: &str) -> Option<u32> {
    let number = value.split(',').next()?.trim().parse().ok()?;
    (number > 0).then_some(number)
}
