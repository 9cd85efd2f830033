//! What OpenMP's variables say.

/// The number of threads of the outermost region in a value of `OMP_NUM_THREADS`, which is a list for nested ones.
pub fn outermost(value: &str) -> Option<u32> {
    let number = value.split(',').next()?.trim().parse().ok()?;
    (number > 0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::outermost;

    #[test]
    fn the_first_number_counts() {
        assert_eq!(outermost("4"), Some(4));
        assert_eq!(outermost(" 8 ,2,1"), Some(8));
    }

    #[test]
    fn what_is_no_number_of_threads_is_none() {
        for value in ["", "0", "-1", "two", ",4", "4 threads", "99999999999"] {
            assert_eq!(outermost(value), None, "{value:?}");
        }
    }
}
