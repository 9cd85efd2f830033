//! Lines that go from core to core.

use numawise_tables::{Cell, CoreMatrix, FigureUnit, LineHome, MatrixMeasure};
use numawise_units::CpuId;

use super::Page;
use crate::document::Align;
use crate::profile::grid::Grid;
use crate::profile::words;

/// Up to so many cores have their matrix on the terminal.
const CORES: usize = 16;

impl Page<'_> {
    pub fn transfers(&mut self) {
        let tables = self.measured.tables;
        if tables.transfers.is_empty() {
            return;
        }
        self.heading("From core to core");
        self.faint(words::TRANSFERS);
        let titles = ["cores", "memory of the line", "pairs", "median", "least", "most", "missing"];
        let mut rows = vec![titles.map(str::to_owned).to_vec()];
        for group in &tables.transfers {
            let figures = match group.spread.measured() {
                Some(spread) => [spread.median, spread.least, spread.most].map(|latency| latency.to_string()),
                None => {
                    let mark = group.spread.reason().map(|reason| self.notes.mark(&reason.0));
                    [mark.unwrap_or_default(), "-".to_owned(), "-".to_owned()]
                }
            };
            let mut row = vec![words::cores(group.same_node).to_owned(), words::home(group).to_owned()];
            row.push(group.pairs.to_string());
            row.extend(figures);
            row.push(group.unavailable.to_string());
            rows.push(row);
        }
        if tables.transfers.iter().all(|group| group.unavailable == 0) {
            rows.iter_mut().for_each(|row| row.truncate(titles.len() - 1));
        }
        let mut sides = [Align::Right; 7];
        (sides[0], sides[1]) = (Align::Left, Align::Left);
        self.table(rows, &sides, &["missing", "memory of the line", "pairs"]);
        for home in [LineHome::Owner, LineHome::Reader, LineHome::Elsewhere] {
            self.matrix(MatrixMeasure::Transfers(home));
        }
        for cores in &tables.cores {
            self.cores(cores);
        }
    }

    fn cores(&mut self, cores: &CoreMatrix) {
        if cores.range.is_none() {
            return;
        }
        if cores.cpus.len() > CORES {
            let n = cores.cpus.len();
            return self.faint(&format!(
                "Each of the {n} cores to each other: in the page of --html and in the JSON."
            ));
        }
        let title = format!("A changed line from CPU to CPU, ns; {}", words::line_home(cores.home));
        let row = |(cpu, cells): (&CpuId, &Vec<Cell>)| (format!("CPU {cpu}"), cells.clone());
        let grid = Grid {
            corner: "from \\ to".to_owned(),
            columns: cores.cpus.iter().map(|cpu| (cpu.to_string(), cpu.to_string())).collect(),
            rows: cores.cpus.iter().zip(&cores.cells).map(row).collect(),
            unit: FigureUnit::Nanoseconds,
            intervals: false,
        };
        self.grid(&title, &grid);
    }
}
