import array
import gc
import unittest

import numawise
from installed import installed

numpy, torch = installed("numpy"), installed("torch")

PAGE = 4096


class MemoryTest(unittest.TestCase):
    def test_memory_is_zero_and_on_its_node_once_it_is_touched(self):
        node = min(numawise.machine().allowed_nodes)
        memory = numawise.alloc(64 * 1024, on=node)
        self.assertEqual((memory.nbytes, memory.policy), (64 * 1024, f"bind:{node}"))
        found = numawise.pages(memory)
        self.assertEqual((found.on, found.absent), ({}, 64 * 1024))
        view = memoryview(memory)
        self.assertEqual(bytes(view[:100]), bytes(100))
        view[:] = b"x" * len(view)
        found = numawise.pages(memory)
        self.assertEqual((found.on, found.absent), ({node: 64 * 1024}, 0))

    def test_memory_lives_as_long_as_a_view_of_it(self):
        view = memoryview(numawise.alloc(100))
        gc.collect()
        view[99] = 7
        self.assertEqual(view[99], 7)
        self.assertFalse(view.readonly)

    def test_memory_goes_back_to_the_system(self):
        def mapped():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[0])

        before = mapped()
        for _ in range(1000):
            numawise.alloc(1 << 24)
        self.assertLess(mapped() - before, (1 << 26) / PAGE)

    def test_what_has_a_buffer_has_pages(self):
        numbers = array.array("d", [1.0]) * (16 * PAGE)
        found = numawise.pages(numbers)
        self.assertGreaterEqual(sum(found.on.values()) + found.absent, 8 * 16 * PAGE)
        address, length = numbers.buffer_info()
        same = numawise.pages(address, length * numbers.itemsize)
        self.assertEqual((same.on, same.absent), (found.on, found.absent))
        for empty in (b"", bytearray(), memoryview(b"")):
            self.assertEqual(numawise.pages(empty).on, {})
        for wrong in (None, [1, 2], "text", object()):
            self.assertRaises(TypeError, numawise.pages, wrong)
        self.assertRaises(TypeError, numawise.pages, address)

    def test_the_first_way_with_room_is_taken(self):
        self.assertEqual(numawise.alloc(PAGE, on="gpu", or_else="interleave").policy, "interleave")
        self.assertEqual(numawise.alloc(PAGE, on="gpu", or_else=["cxl", 0, "local"]).policy, "bind:0")
        for call, status in [
            (lambda: numawise.alloc(PAGE, on="gpu"), "unavailable"),
            (lambda: numawise.alloc(PAGE, on=1000), "not_there"),
            (lambda: numawise.alloc(1 << 60, on="local"), "no_memory"),
            (lambda: numawise.alloc(1 << 60, on=0, or_else="interleave"), "no_memory"),
            (lambda: numawise.alloc(0), "invalid"),
            (lambda: numawise.alloc(PAGE, on="here"), "invalid"),
        ]:
            with self.assertRaises(numawise.Error) as raised:
                call()
            self.assertEqual(raised.exception.status, status, raised.exception)
        self.assertRaises((OverflowError, TypeError), numawise.alloc, -1)


@unittest.skipUnless(numpy, "NumPy is not installed for this interpreter")
class ArraysTest(unittest.TestCase):
    def test_arrays_are_those_of_numpy(self):
        for shape, dtype, order in [(10, float, "C"), ((3, 4, 5), "complex64", "F"), ((2, 3), [("a", "i4"), ("b", "f8")], "C"), ((), "u1", "C")]:
            ours = numawise.empty(shape, dtype, on=0, order=order)
            theirs = numpy.zeros(shape, dtype, order=order)
            self.assertEqual((ours.shape, ours.dtype, ours.strides), (theirs.shape, theirs.dtype, theirs.strides))
            self.assertTrue(numpy.array_equal(ours, theirs))
            self.assertTrue(ours.flags.writeable and ours.flags.aligned)
        self.assertEqual(numawise.empty((3, 0)).shape, (3, 0))
        # Numbers that are NumPy's own.
        self.assertEqual(numawise.empty(numpy.int64(3), on=numpy.int32(0)).shape, (3,))
        self.assertEqual(numawise.alloc(PAGE, on="gpu", or_else=numpy.uint8(0)).policy, "bind:0")
        self.assertRaises(TypeError, numawise.empty, 3, object)
        self.assertRaises(ValueError, numawise.empty, -3)

    def test_pages_of_a_view_are_those_between_its_ends(self):
        whole = numawise.empty((16, PAGE), "u1", on=0)
        whole[4:8] = 1
        self.assertEqual(numawise.pages(whole).on, {0: 4 * PAGE})
        for view in (whole[4:8], whole[4:8, ::7], whole[7:3:-1], whole[4:8].T):
            found = numawise.pages(view)
            self.assertEqual((found.on, found.absent), ({0: 4 * PAGE}, 0), view.strides)
        self.assertEqual(numawise.pages(whole[0]).absent, PAGE)
        self.assertEqual(numawise.pages(whole[3:3]).absent, 0)
        self.assertEqual(sum(numawise.pages(numpy.array(3.0)).on.values()), PAGE)
        whole.flags.writeable = False
        self.assertEqual(numawise.pages(whole).on, {0: 4 * PAGE})


@unittest.skipUnless(torch, "PyTorch is not installed for this interpreter")
class TensorsTest(unittest.TestCase):
    def test_tensors_have_pages(self):
        tensor = torch.ones(64 * PAGE, dtype=torch.uint8, requires_grad=False)
        self.assertGreaterEqual(sum(numawise.pages(tensor).on.values()), 64 * PAGE)
        self.assertEqual(numawise.pages(torch.ones(5, requires_grad=True)).absent, 0)


if __name__ == "__main__":
    unittest.main()
