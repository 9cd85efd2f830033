import os
import pathlib
import tempfile
import unittest
import unittest.mock

import numawise
from installed import installed

pandas, pyarrow = installed("pandas"), installed("pyarrow")


class TablesTest(unittest.TestCase):
    JSON = {
        "schema": "numawise/check/1",
        "headline": "Not <affected>",
        "use": {"line": "numawise run -- ./a & b"},
        "trials": [
            {"point": "a", "value": {"ns": 5}, "nodes": [{"node": 0}, {"node": 1}], "cpus": [1, 2]},
            {"point": "<b>", "value": {"unavailable": "it failed"}, "nodes": [{"node": 2}]},
        ],
        "nothing": [],
        "job": {"uses": [{"use": "heap"}]},
    }

    def test_lists_of_objects_are_tables(self):
        result = numawise.Result(self.JSON)
        self.assertEqual(set(result.tables), {"trials", "trials.nodes", "job.uses"})
        trials = result.table("trials")
        self.assertEqual(trials.column("value.ns"), [5, None])
        self.assertEqual(trials.column("value.unavailable"), [None, "it failed"])
        self.assertEqual(trials.column("cpus"), [[1, 2], None])
        self.assertEqual(list(result.table("trials.nodes")), [{"trials": 0, "node": 0}, {"trials": 0, "node": 1}, {"trials": 1, "node": 2}])
        self.assertEqual(result["headline"], "Not <affected>")
        with self.assertRaisesRegex(KeyError, "there are trials, trials.nodes, job.uses"):
            result.table("trial")
        with self.assertRaisesRegex(KeyError, "no column x; it has point, value.ns"):
            trials.column("x")

    def test_a_notebook_shows_texts_and_not_their_markup(self):
        html = numawise.Result(self.JSON)._repr_html_()
        self.assertIn("Not &lt;affected&gt;", html)
        self.assertIn("numawise run -- ./a &amp; b", html)
        self.assertIn("&lt;b&gt;", html)
        self.assertNotIn("<b>\n", html)
        long = numawise.Table("long", [{"n": n} for n in range(100)])
        self.assertIn("and 80 more rows", long._repr_html_())

    @unittest.skipUnless(pandas, "pandas is not installed for this interpreter")
    def test_a_table_is_a_frame_of_pandas(self):
        frame = numawise.Result(self.JSON).table("trials").to_pandas()
        self.assertEqual(list(frame["point"]), ["a", "<b>"])
        self.assertTrue(frame["value.ns"].isna()[1])

    @unittest.skipUnless(pyarrow, "PyArrow is not installed for this interpreter")
    def test_a_table_is_one_of_arrow(self):
        table = numawise.Result(self.JSON).table("trials").to_arrow()
        self.assertEqual(table.column("value.ns").to_pylist(), [5, None])


@unittest.skipUnless("NUMAWISE" in os.environ, "the command numawise is not built")
class CommandTest(unittest.TestCase):
    def test_where_this_process_is(self):
        found = numawise.where()
        self.assertEqual(found.table("tasks").column("pid"), [os.getpid()])
        self.assertEqual(found["schema"], "numawise/where/1")
        two = numawise.where([os.getpid(), os.getppid()])
        self.assertEqual(len(two.table("tasks")), 2)

    def test_a_program_is_checked_and_its_record_read(self):
        with tempfile.TemporaryDirectory() as folder:
            record = pathlib.Path(folder, "sleep.nw")
            found = numawise.check(["sleep", "0.02"], output=record, budget="3s", threads=1, seed=7)
            self.assertIn(found["verdict"], ("affected", "not affected", "undecided", "too short to tell"))
            again = numawise.read(record)
            self.assertEqual(again["headline"], found["headline"])
            trials = again.table("trials")
            self.assertGreater(len(trials), 0)
            self.assertIn("point", trials.columns)
            self.assertIn(str(len(trials)), repr(again))
            self.assertEqual(os.listdir(folder), ["sleep.nw"])

    def test_nothing_is_left_where_no_record_was_wanted(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, TMPDIR=folder):
            tempfile.tempdir = None
            try:
                numawise.check(["true"], budget="2s")
            finally:
                tempfile.tempdir = None
            self.assertEqual(os.listdir(folder), [])

    def test_what_fails_has_the_text_of_the_command(self):
        with self.assertRaises(numawise.CommandError) as raised:
            numawise.read("/nowhere/to/be.nw")
        self.assertIn("/nowhere/to/be.nw", str(raised.exception))
        self.assertEqual(raised.exception.status, "command")
        self.assertNotEqual(raised.exception.exit_status, 0)
        with self.assertRaises(numawise.CommandError):
            numawise.check(["/no/such/program"])
        with self.assertRaises(numawise.CommandError) as raised:
            numawise.check(["true"], bogus=3)
        self.assertIn("--bogus", str(raised.exception))
        self.assertRaises(TypeError, numawise.check, "true")
        self.assertRaises(TypeError, numawise.check, [])

    def test_without_the_command_it_says_how_to_get_it(self):
        with unittest.mock.patch.dict(os.environ, {"NUMAWISE": "", "PATH": "/nowhere"}):
            with self.assertRaisesRegex(numawise.CommandError, "is not there: not in this package, not in the PATH"):
                numawise.where()
        with unittest.mock.patch.dict(os.environ, NUMAWISE="/nowhere/numawise"):
            with self.assertRaisesRegex(numawise.CommandError, "/nowhere/numawise could not be started"):
                numawise.where()


if __name__ == "__main__":
    unittest.main()
