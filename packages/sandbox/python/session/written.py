"""Pages of memory that the last cell has written, and that the next one is likely to write as well.

After a fork each first write to a page makes a copy of it, which takes longer than most cells. While no cell waits, the running Python makes
these copies ahead.
"""

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# See madvise(2): since Linux 5.14.
MADV_POPULATE_WRITE = 23
# See the page map of proc(5): the last byte of an entry, for a page that is there and that no other process has.
ENTRY_BYTES, OWN_PAGE = 8, 0x81
# More pages in a row than this are data: a cell rarely writes them again. In pages.
MOST_IN_ROW = 64
# Largest number of pages that are copied, that are looked at, which takes milliseconds, and of one mapping.
MOST_COPIED, MOST_LOOKED_AT, MOST_IN_MAPPING = 2_048, 2**16, 2**14
# What is copied ahead looks like what a cell has written, so the list begins anew after this number of checkpoints.
RENEWED_AFTER = 8
# A caller that leaves less time than this between cells does not wait for copies, in seconds.
PAUSE_SECONDS = 0.02
# Number of calls between two looks for an order.
CALLS_AT_ONCE = 32


class WrittenPages:
    def __init__(self):
        # Address and number of pages of each row.
        self.rows = []
        self.count = 0
        # Whether the caller has left time before the last cell.
        self.has_time = True

    def find(self):
        """Before a fork: afterwards all pages are shared."""
        self.rows = []
        self.count += 1
        if self.has_time and self.count % RENEWED_AFTER:
            try:
                self.rows = rows_of_own_pages()
            except (OSError, ValueError):
                # A sandbox may hide the page map.
                pass

    def copy(self, has_order):
        """After a fork, until an order has come."""
        madvise = ctypes.pythonapi.madvise
        for at, (address, pages) in enumerate(self.rows):
            if at % CALLS_AT_ONCE == 0 and has_order():
                return
            if madvise(ctypes.c_void_p(address), ctypes.c_size_t(pages * PAGE_BYTES), MADV_POPULATE_WRITE) != 0:
                return


def rows_of_own_pages():
    rows, copied, looked_at = [], 0, 0
    fd = os.open("/proc/self/pagemap", os.O_RDONLY)
    try:
        for start, end in own_memory():
            pages = (end - start) // PAGE_BYTES
            if pages > MOST_IN_MAPPING:
                continue
            looked_at += pages
            if looked_at > MOST_LOOKED_AT:
                break
            marks = os.pread(fd, pages * ENTRY_BYTES, start // PAGE_BYTES * ENTRY_BYTES)[ENTRY_BYTES - 1 :: ENTRY_BYTES]
            at = marks.find(OWN_PAGE)
            while at >= 0:
                after = at + 1
                while marks[after : after + 1] == OWN_MARK:
                    after += 1
                if after - at <= MOST_IN_ROW:
                    rows.append((start + at * PAGE_BYTES, after - at))
                    copied += after - at
                at = marks.find(OWN_PAGE, after)
            if copied > MOST_COPIED:
                break
    finally:
        os.close(fd)
    return rows


def own_memory():
    """Addresses of memory that is written here and is not of a shared file, in the order of the list of mappings."""
    at = memory_text.find(PRIVATE)
    while at >= 0:
        start, _, end = memory_text[memory_text.rfind(b"\n", 0, at) + 1 : at].partition(b"-")
        yield int(start, 16), int(end, 16)
        at = memory_text.find(PRIVATE, at + 1)


OWN_MARK = bytes((OWN_PAGE,))
PRIVATE = b" rw-p "
