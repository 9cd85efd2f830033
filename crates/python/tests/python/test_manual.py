import os
import pathlib
import re
import tempfile
import unittest

import numawise
from installed import installed

numpy, pandas, pyarrow = installed("numpy"), installed("pandas"), installed("pyarrow")


class Loader:
    """In the place of PyTorch's: calls what each worker calls first."""

    def __init__(self, data, num_workers, worker_init_fn):
        for worker in range(num_workers):
            worker_init_fn(worker)


class ManualTest(unittest.TestCase):
    @unittest.skipUnless("NUMAWISE" in os.environ, "the command numawise is not built")
    @unittest.skipUnless(numpy and pandas, "NumPy and pandas are not installed for this interpreter")
    def test_what_the_manual_types_can_be_typed(self):
        manual = pathlib.Path(__file__).parents[4] / "docs/user/python.md"
        blocks = re.findall("```python\n(.*?)```", manual.read_text(), re.DOTALL)
        self.assertGreaterEqual(len(blocks), 3)
        before = os.sched_getaffinity(0)
        names = {"worker": 0, "workers": 2, "DataLoader": Loader, "data": [], "solve": lambda: None}
        folder = os.getcwd()
        with tempfile.TemporaryDirectory() as elsewhere:
            os.chdir(elsewhere)
            try:
                solver = pathlib.Path("solver")
                solver.write_text("#!/bin/sh\nexec sleep 0.02\n")
                solver.chmod(0o755)
                for block in blocks:
                    # Of what is not on every machine, and takes long: CPUs, a second node, a minute.
                    block = block.replace("0-3,8", str(min(before))).replace("on=1)", "on=0)").replace("60s", "3s")
                    if not pyarrow:
                        block = block.replace(".to_arrow()", ".to_pandas()")
                    exec(compile(block, str(manual), "exec"), names)
                    os.sched_setaffinity(0, before)
            finally:
                os.sched_setaffinity(0, before)
                os.chdir(folder)
        self.assertEqual(names["u"].shape, (1000, 1000))
        self.assertIn("verdict", names["found"])
        self.assertIsInstance(names["raw"], numawise.Memory)


if __name__ == "__main__":
    unittest.main()
