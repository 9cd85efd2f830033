import os
import unittest

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
