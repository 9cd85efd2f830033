//! Lines of sources in Python, whose function stands in the text.

use numawise_facts::Reading;
use numawise_facts::activity::SourcePlace;

use crate::source::SourceFiles;

/// A line of a source, where the interpreter said one, with the function around it.
pub fn place(file: &str, line: Option<u32>, sources: &mut SourceFiles) -> SourcePlace {
    let unknown = "the interpreter has no line for the instruction";
    let line = line.map_or_else(|| Reading::unavailable(unknown), Reading::Measured);
    let function = line.clone().and_then(|line| {
        sources.text(file).and_then(|source| match function(&source.text, line) {
            Some(name) => Reading::Measured(name),
            None => Reading::unavailable("the source file has fewer lines now"),
        })
    });
    SourcePlace { function, file: Reading::Measured(file.to_owned()), line }
}

/// The function around a line, with those and the classes around it; `<module>` for a line in none.
fn function(text: &str, line: u32) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let at = (line as usize).checked_sub(1).filter(|at| *at < lines.len())?;
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (mut depth, mut names) = (indent(lines[at]), Vec::new());
    // A decorator's line is that of what it stands before, and the head of a function is of what is around it.
    for line in lines[..at].iter().rev().filter(|line| !line.trim().is_empty()) {
        if indent(line) >= depth || line.trim_start().starts_with('#') {
            continue;
        }
        depth = indent(line);
        let head = line.trim_start();
        let head = head.strip_prefix("async ").unwrap_or(head).trim_start();
        if let Some(rest) = head.strip_prefix("def ").or_else(|| head.strip_prefix("class ")) {
            let name: String =
                rest.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            names.push(name);
        }
    }
    names.reverse();
    Some(if names.is_empty() { "<module>".to_owned() } else { names.join(".") })
}

#[cfg(test)]
mod tests {
    use super::function;

    #[test]
    fn a_line_is_in_the_function_around_it() {
        let text = "import x\n\nclass A:\n    @x\n    async def b(self,\n                c):\n        # d\n        for k in c:\n\n            \
                    self.e(\n  k)\n\n    def f(self):\n        pass\n\nx.run()\n";
        for (line, name) in
            [(1, "<module>"), (5, "A"), (8, "A.b"), (10, "A.b"), (14, "A.f"), (16, "<module>")]
        {
            assert_eq!(function(text, line).as_deref(), Some(name), "line {line}");
        }
        assert_eq!([0, 17].map(|line| function(text, line)), [None, None]);
    }
}
