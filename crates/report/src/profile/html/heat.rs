//! Matrices as tables whose cells are coloured by their figures: heat maps that can be read, copied and printed.

use maud::{Markup, html as page};
use numawise_facts::Reading;
use numawise_tables::{Cell, CoreMatrix, FigureUnit, MatrixMeasure, NodeMatrix};

use crate::profile::Measured;
use crate::profile::grid::Notes;
use crate::profile::words;

/// Up to so many columns have room for intervals and ratios in their cells.
const ROOMY: usize = 4;

/// A matrix with its title and scale. `beside` has the ratios that stand in small below the figures.
pub fn matrix(
    measured: &Measured,
    matrix: &NodeMatrix,
    beside: Option<&NodeMatrix>,
    notes: &mut Notes,
) -> Markup {
    let roomy = matrix.columns.len() <= ROOMY;
    let name = |node| words::node(measured.profile, node);
    let ratio = |k: usize, l: usize| match beside?.cells[k][l].as_ref()? {
        Reading::Measured(ratio) if roomy => Some(words::number(FigureUnit::Ratio, ratio.median)),
        _ => None,
    };
    page! {
        div class={ "heat " (ramp(matrix.measure)) } {
            h3 { (title(matrix.measure)) }
            @if let Some(about) = words::about(matrix.measure) { p.lead { (about) } }
            div.wide {
                table.many[!roomy] {
                    thead { tr {
                        th scope="col" { "from \\ to" }
                        @for node in &matrix.columns {
                            th.number scope="col" {
                                @if roomy { "node " }
                                (node)
                                @if let Some(kind) = words::kind(measured.profile, *node) { small { (kind) } }
                            }
                        }
                    } }
                    tbody { @for (k, (node, row)) in matrix.rows.iter().zip(&matrix.cells).enumerate() {
                        tr {
                            th scope="row" { (name(*node)) }
                            @for (l, figure) in row.iter().enumerate() {
                                (cell(matrix, figure, ratio(k, l), notes))
                            }
                        }
                    } }
                }
            }
            (scale(matrix.range, matrix.measure.unit()))
        }
    }
}

/// Cores by cores, plain: there are many.
pub fn cores(cores: &CoreMatrix, notes: &mut Notes) -> Markup {
    page! {
        table.small {
            thead { tr {
                th scope="col" { "CPU" }
                @for cpu in &cores.cpus { th.number scope="col" { (cpu) } }
            } }
            tbody { @for (cpu, row) in cores.cpus.iter().zip(&cores.cells) {
                tr {
                    th scope="row" { (cpu) }
                    @for figure in row { td.number { (plain(figure, notes)) } }
                }
            } }
        }
    }
}

fn plain(cell: &Cell, notes: &mut Notes) -> String {
    match cell {
        None => String::new(),
        Some(Reading::Unavailable { unavailable }) => notes.mark(&unavailable.0),
        Some(Reading::Measured(estimate)) => format!("{:.0}", estimate.median),
    }
}

/// Short where the section says the rest.
fn title(measure: MatrixMeasure) -> String {
    match measure {
        MatrixMeasure::Bandwidth { mix, .. } => {
            let words = words::mix(mix);
            let first = words.chars().take(1).flat_map(char::to_uppercase);
            first.chain(words.chars().skip(1)).collect()
        }
        other => words::matrix(other),
    }
}

/// Which colours: more latency is hot, more bandwidth is deep.
fn ramp(measure: MatrixMeasure) -> &'static str {
    if measure.more_is_better() { "deep" } else { "hot" }
}

fn cell(matrix: &NodeMatrix, cell: &Cell, ratio: Option<String>, notes: &mut Notes) -> Markup {
    let estimate = match cell {
        None => return page! { td.number.none title="not asked for" { "-" } },
        Some(Reading::Unavailable { unavailable }) => {
            return page! { td.number.none title=(unavailable) { (notes.mark(&unavailable.0)) } };
        }
        Some(Reading::Measured(estimate)) => estimate,
    };
    let unit = matrix.measure.unit();
    let number = |value| words::number(unit, value);
    let samples = u64::from(estimate.samples);
    let (bounds, of) = match matrix.measure {
        MatrixMeasure::Transfers(_) => (
            Some(format!("{} to {}", number(estimate.low), number(estimate.high))),
            words::many(samples, "pair"),
        ),
        _ => (words::half(unit, estimate).map(|half| format!("±{half}")), words::many(samples, "repetition")),
    };
    let figure = words::quantity(unit, estimate.median);
    let title = bounds.as_ref().map_or_else(|| figure.clone(), |bounds| format!("{figure}, {bounds}, {of}"));
    let roomy = matrix.columns.len() <= ROOMY;
    let small: Vec<String> = bounds.filter(|_| roomy).into_iter().chain(ratio).collect();
    page! {
        td.number title=(title) style=(format!("--h:{:.0}", place(estimate.median, matrix.range))) {
            (number(estimate.median))
            @if !small.is_empty() { small { (small.join(" · ")) } }
        }
    }
}

/// From 0 to 100 between the least and the greatest.
fn place(value: f64, range: Option<(f64, f64)>) -> f64 {
    match range {
        Some((least, most)) if most > least => (value - least) / (most - least) * 100.0,
        _ => 0.0,
    }
}

/// What the colours mean.
pub fn scale(range: Option<(f64, f64)>, unit: FigureUnit) -> Markup {
    let Some((least, most)) = range.filter(|(least, most)| most > least) else { return page! {} };
    page! {
        p.scale { span { (words::quantity(unit, least)) } span.ramp {} span { (words::quantity(unit, most)) } }
    }
}
