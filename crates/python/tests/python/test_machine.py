import os
import pathlib
import re
import tempfile
import unittest
import unittest.mock

import numawise


class MachineTest(unittest.TestCase):
    def test_the_machine_is_that_of_the_kernel(self):
        machine = numawise.machine()
        self.assertEqual(machine.allowed_cpus, os.sched_getaffinity(0))
        folders = {int(name[4:]) for name in os.listdir("/sys/devices/system/node") if name.startswith("node") and name[4:].isdigit()}
        self.assertEqual({node.id for node in machine.nodes}, folders)
        for node in machine.nodes:
            self.assertIn(node.kind, ("dram", "hbm", "cxl", "gpu", "unknown"))
            for cpu in node.cpus:
                self.assertEqual(machine.node_of_cpu(cpu), node.id)
            for to, distance in node.distances or []:
                self.assertEqual(machine.distance(node.id, to), distance)
        self.assertTrue(machine.allowed_nodes)
        self.assertGreater(machine.room("local"), 0)

    def test_a_notebook_shows_it_as_a_table(self):
        machine = numawise.machine()
        table = machine.table()
        self.assertEqual(table.column("node"), [node.id for node in machine.nodes])
        self.assertIn("<th>kind</th>", machine._repr_html_())
        self.assertIn("allowed_cpus=", repr(machine))

    def test_figures_are_those_of_the_saved_profile(self):
        plain = numawise.machine()
        with self.assertRaises(numawise.Error) as raised:
            plain.latency_ns(0, 0)
        self.assertEqual(raised.exception.status, "unavailable")
        profile = pathlib.Path(__file__).parents[4] / "testdata/records/profile-version-1.json"
        with self.assertRaises(numawise.Error) as raised:
            numawise.machine(profile=profile)
        here = re.search("this one has ([0-9a-f]+)", str(raised.exception))
        if not here:
            self.skipTest(f"nothing tells this machine from others: {raised.exception}")
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, XDG_DATA_HOME=folder):
            with self.assertRaises(numawise.Error) as raised:
                numawise.machine(profile="latest")
            self.assertEqual(raised.exception.status, "unavailable")
            saved = pathlib.Path(folder, "numawise/profiles")
            saved.mkdir(parents=True)
            text = profile.read_text().replace("902729583c957a32", here[1]).replace('"core": 0', '"node": 0', 1)
            (saved / f"{here[1]}-20260101-000000.json").write_text(text)
            machine = numawise.machine(profile="latest")
            self.assertEqual(machine.latency_ns(0, 0), 81.25)
            self.assertEqual(machine.bandwidth(0, 0), 12e9)

    def test_what_is_not_there_is_an_error_with_a_status(self):
        machine = numawise.machine()
        for call, status in [
            (lambda: machine.node(4000), "not_there"),
            (lambda: machine.node_of_cpu(100000), "not_there"),
            (lambda: machine.room("bogus"), "invalid"),
            (lambda: machine.plan("near"), "invalid"),
            (lambda: machine.plan("explicit", cpus="x"), "invalid"),
            (lambda: machine.plan("local", cpus=[8000]), "not_there"),
            (lambda: machine.plan("local").cpus(0, task=9), "not_there"),
        ]:
            with self.assertRaises(numawise.Error) as raised:
                call()
            self.assertEqual(raised.exception.status, status, raised.exception)
            self.assertTrue(str(raised.exception))
        for call in (lambda: machine.node(-1), lambda: machine.plan(5), lambda: machine.plan("local", threads=-1)):
            self.assertRaises((OverflowError, TypeError), call)


if __name__ == "__main__":
    unittest.main()
