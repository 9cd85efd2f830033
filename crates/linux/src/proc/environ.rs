//! `/proc/PID/environ`: the environment that a process was started with.

/// The environment as the process got it at its start. What it changed since is not in it.
#[derive(Debug, Clone, Copy)]
pub struct Environment<'a>(pub &'a [u8]);

impl<'a> Environment<'a> {
    /// The value of a variable; of a name that is there twice the first counts, as for getenv(3).
    pub fn value(self, name: &str) -> Option<&'a [u8]> {
        self.0
            .split(|&byte| byte == 0)
            .find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_hold_equals_signs_and_the_first_counts() {
        let environment = Environment(b"AB=1\0A=b=c\0A=d\0EMPTY=\0odd\0=x\0");
        assert_eq!(environment.value("A"), Some(&b"b=c"[..]));
        assert_eq!(environment.value("AB"), Some(&b"1"[..]));
        assert_eq!(environment.value("EMPTY"), Some(&b""[..]));
        assert_eq!(environment.value("odd"), None);
        assert_eq!(environment.value("B"), None);
    }
}
