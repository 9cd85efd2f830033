//! Colours, where they are wanted.

/// What a colour is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tone {
    #[default]
    Plain,
    Faint,
    Good,
    Bad,
    Doubt,
    Loud,
}

/// Paints, or does not.
#[derive(Debug, Clone, Copy)]
pub struct Paint(pub bool);

impl Paint {
    pub fn tone(self, tone: Tone, text: &str) -> String {
        self.code(code(tone), text)
    }

    pub fn bold(self, tone: Tone, text: &str) -> String {
        match code(tone) {
            "" => self.code("1", text),
            code => self.code(&format!("1;{code}"), text),
        }
    }

    fn code(self, code: &str, text: &str) -> String {
        if self.0 && !code.is_empty() && !text.trim().is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// The 16 colours that every terminal lets its user choose.
fn code(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Faint => "2",
        Tone::Good => "32",
        Tone::Bad => "31",
        Tone::Doubt => "33",
        Tone::Loud => "35",
    }
}
