"""What the command found, as it has written it in JSON, and as tables."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import pyarrow

#: Rows of a table that a notebook shows.
_SHOWN = 20


class Table:
    """Rows with columns of one name each. A value that could not be measured is None, and `<column>.unavailable` has the reason."""

    def __init__(self, name: str, rows: list[dict[str, Any]]) -> None:
        self.name = name
        self.rows = rows
        self.columns = list(dict.fromkeys(column for row in rows for column in row))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def column(self, name: str) -> list[Any]:
        """Its values, None where a row has none."""
        if name not in self.columns:
            raise KeyError(f"table {self.name} has no column {name}; it has {', '.join(self.columns)}")
        return [row.get(name) for row in self.rows]

    def to_pandas(self) -> "pandas.DataFrame":
        """A DataFrame of pandas."""
        import pandas

        return pandas.DataFrame({name: self.column(name) for name in self.columns})

    def to_arrow(self) -> "pyarrow.Table":
        """A table of Apache Arrow."""
        import pyarrow

        return pyarrow.table({name: self.column(name) for name in self.columns})

    def __repr__(self) -> str:
        return f"Table({self.name!r}, {len(self.rows)} rows: {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        shown = self.rows[:_SHOWN]
        body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in self.columns) + "</tr>" for row in shown)
        left_out = len(self.rows) - len(shown)
        rest = f"<p>and {left_out} more rows</p>" if left_out else ""
        return f"<table><caption>{escape(self.name)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return escape(f"{value:.4g}")
    return escape(str(value))


class Result(Mapping[str, Any]):
    """What a command found: the members of its JSON (docs/formats in the source), and its lists as tables."""

    def __init__(self, json: dict[str, Any], others: dict[str, Table] | None = None) -> None:
        self.json = json
        self._tables = tables_of(json) | (others or {})

    def __getitem__(self, key: str) -> Any:
        return self.json[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.json)

    def __len__(self) -> int:
        return len(self.json)

    @property
    def tables(self) -> dict[str, Table]:
        """All tables by name: a list within the rows of another is `outer.inner`, and its column `outer` has the number of the outer row."""
        return self._tables

    def table(self, name: str) -> Table:
        """One of them."""
        if name not in self._tables:
            raise KeyError(f"there is no table {name}; there are {', '.join(self._tables)}")
        return self._tables[name]

    def __repr__(self) -> str:
        said = self.json.get("headline")
        tables = ", ".join(f"{name} ({len(table)})" for name, table in self._tables.items())
        return f"Result({self.json.get('schema')!r}{f', {said!r}' if said else ''}, tables: {tables})"

    def _repr_html_(self) -> str:
        said = self.json.get("headline")
        line = self.json.get("use")
        line = line.get("line") if isinstance(line, dict) else None
        head = f"<p><b>{escape(str(said))}</b></p>" if said else ""
        head += f"<pre>{escape(str(line))}</pre>" if line else ""
        outer = [table for name, table in self._tables.items() if "." not in name and len(table)]
        return head + "".join(f"<details><summary>{escape(table.name)} ({len(table)})</summary>{table._repr_html_()}</details>" for table in outer)


def tables_of(json: dict[str, Any]) -> dict[str, Table]:
    """Every list of objects in a JSON object as a table."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for name, value in json.items():
        _collect(name, value, rows, {})
    return {name: Table(name, found) for name, found in rows.items()}


def _collect(name: str, value: Any, rows: dict[str, list[dict[str, Any]]], outer: dict[str, int]) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _collect(f"{name}.{key}", inner, rows, outer)
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        table = rows.setdefault(name, [])
        for one in value:
            row: dict[str, Any] = dict(outer)
            within = outer | {name: len(table)}
            table.append(row)
            for key, inner in one.items():
                _flatten(key, inner, row)
                _collect(f"{name}.{key}", inner, rows, within)


def _flatten(name: str, value: Any, row: dict[str, Any]) -> None:
    if isinstance(value, dict):
        if set(value) == {"unavailable"}:
            row[name] = None
            row[f"{name}.unavailable"] = value["unavailable"]
            return
        for key, inner in value.items():
            _flatten(f"{name}.{key}", inner, row)
    elif not (isinstance(value, list) and value and isinstance(value[0], dict)):
        row[name] = value
