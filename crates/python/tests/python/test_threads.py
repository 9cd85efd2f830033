import multiprocessing
import os
import threading
import unittest

import numawise
from installed import installed

torch_data = installed("torch.utils.data")


def of_a_worker(worker, workers, found):
    numawise.pin(worker, of=workers)
    found.put((worker, os.sched_getaffinity(0)))


def of_a_loader(worker):
    numawise.pin(worker, of=torch_data.get_worker_info().num_workers)


class Masks:
    """A data set whose elements are the CPUs of the worker that loads them."""

    def __len__(self):
        return 8

    def __getitem__(self, k):
        return sorted(os.sched_getaffinity(0))


class ThreadsTest(unittest.TestCase):
    def setUp(self):
        self.before = os.sched_getaffinity(0)

    def tearDown(self):
        self.assertEqual(os.sched_getaffinity(0), self.before)

    def test_threads_of_a_team_are_where_the_plan_has_them(self):
        plan = numawise.plan("distributed", threads=len(self.before) + 1)
        self.assertEqual(plan.threads(), len(self.before) + 1)
        found = {}

        def of_a_thread(k):
            with plan.pin(k) as pinned:
                found[k] = (os.sched_getaffinity(0), pinned.cpus, plan.cpus(k))

        threads = [threading.Thread(target=of_a_thread, args=(k,)) for k in range(plan.threads())]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), len(threads))
        for is_on, pinned, planned in found.values():
            self.assertEqual(is_on, planned)
            self.assertEqual(pinned, planned)
            self.assertLessEqual(planned, self.before)

    def test_another_thread_can_be_bound_by_its_number(self):
        ready, done = threading.Event(), threading.Event()
        tid = []

        def waits():
            tid.append(threading.get_native_id())
            ready.set()
            done.wait()

        thread = threading.Thread(target=waits)
        thread.start()
        ready.wait()
        cpu = min(self.before)
        pinned = numawise.pin(cpus=cpu, tid=tid[0])
        self.assertEqual(os.sched_getaffinity(tid[0]), {cpu})
        self.assertEqual(pinned.before, self.before)
        pinned.undo()
        self.assertEqual(os.sched_getaffinity(tid[0]), self.before)
        done.set()
        thread.join()

    def test_a_mask_is_put_back_also_after_an_exception(self):
        with self.assertRaises(ZeroDivisionError):
            with numawise.pin(0, of=len(self.before)) as pinned:
                self.assertEqual(os.sched_getaffinity(0), pinned.cpus)
                1 / 0

    def test_workers_share_the_cpus(self):
        for method in ("fork", "spawn", "forkserver"):
            context = multiprocessing.get_context(method)
            workers = len(self.before) + 1
            found = context.SimpleQueue()
            processes = [context.Process(target=of_a_worker, args=(k, workers, found)) for k in range(workers)]
            for process in processes:
                process.start()
            shares = dict(found.get() for _ in processes)
            for process in processes:
                process.join()
                self.assertEqual(process.exitcode, 0)
                process.close()
            self.assertEqual(set().union(*shares.values()), self.before, method)
            self.assertTrue(all(len(share) == 1 for share in shares.values()), shares)
            # One more than there are CPUs begins again at the first.
            self.assertEqual(shares[0], shares[workers - 1])

    @unittest.skipUnless(torch_data, "PyTorch is not installed for this interpreter")
    def test_workers_of_a_data_loader_have_their_shares(self):
        workers = len(self.before)
        loader = torch_data.DataLoader(
            Masks(), batch_size=None, num_workers=workers, worker_init_fn=of_a_loader, collate_fn=lambda of: of
        )
        found = [tuple(mask) for mask in loader]
        self.assertEqual({cpu for mask in found for cpu in mask}, self.before)
        self.assertTrue(all(len(mask) == 1 for mask in found), found)

    def test_what_cannot_be_is_refused(self):
        for call in (
            lambda: numawise.pin(),
            lambda: numawise.pin(1),
            lambda: numawise.pin(of=4),
            lambda: numawise.pin(4, of=4),
            lambda: numawise.pin(cpus=""),
            lambda: numawise.pin(0, of=1, tid=-5),
        ):
            with self.assertRaises(numawise.Error) as raised:
                call()
            self.assertEqual(raised.exception.status, "invalid", raised.exception)
        process = multiprocessing.get_context("fork").Process(target=int)
        process.start()
        gone = process.pid
        process.join()
        process.close()
        with self.assertRaises(numawise.Error) as raised:
            numawise.pin(0, of=1, tid=gone)
        self.assertEqual(raised.exception.status, "ended")


if __name__ == "__main__":
    unittest.main()
