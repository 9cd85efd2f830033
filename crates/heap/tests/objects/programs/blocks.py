"""Blocks that several lines allocate, each of another size, which is 100,000 times the number of its line; of some the line is in a
function, a generator, a thread, a lambda or a module whose name is no ASCII."""
import threading


def of(count):
    return bytearray(count * 100_000)


def each(count):
    for _ in range(3):
        yield bytearray(
            1300_000)


kept = [of(16)]
kept += list(each(3))
work = lambda: kept.append(bytearray(1800_000))
work()
other = threading.Thread(target=lambda: kept.append(bytearray(2000_000)))
other.start()
other.join()
exec(compile("\n" * 22 + "kept.append(bytearray(2300_000))", "/tmp/größe-ж.py", "exec"))


class Kept:
    def again(self, times):
        return [bytearray(2800_000) for _ in range(times)]


kept += Kept().again(50)
print(sum(map(len, kept)))
