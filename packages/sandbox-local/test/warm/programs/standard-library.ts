import { family, program, type TestProgram } from '../program.ts'

// Those that start something, ask something of somebody or take long are left out: antigravity, idlelib, this, turtle.
const modules =
  'abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent.futures configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http.client http.cookiejar http.server imaplib imghdr imp importlib importlib.metadata importlib.resources inspect io ipaddress itertools json keyword lib2to3 linecache locale logging logging.config logging.handlers lzma mailbox mailcap marshal math mimetypes mmap modulefinder multiprocessing multiprocessing.pool multiprocessing.shared_memory netrc nis nntplib ntpath numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 ssl stat statistics string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios test.support textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty types typing unicodedata unittest unittest.mock urllib.request urllib.robotparser uu uuid venv warnings wave weakref webbrowser wsgiref.simple_server xdrlib xml.dom.minidom xml.etree.ElementTree xml.sax xmlrpc.client xmlrpc.server zipapp zipfile zipimport zlib zoneinfo'.split(
    ' ',
  )

/** Every module of the standard library, as one imports it, and small things that people do with them. */
export const standardLibrary: readonly TestProgram[] = [
  ...family(
    'import',
    modules,
    'import sys',
    'before = set(sys.modules)',
    'try:',
    '    import $',
    '    print(sorted(set(sys.modules) - before))',
    '    print(sorted(name for name in vars(sys.modules["$"]) if name[0] != "_"))',
    'except ImportError as error: print(error)',
  ),
  program(
    'hashes',
    'import hashlib, zlib, uuid',
    "print(hashlib.sha256(b'x').hexdigest(), zlib.crc32(b'x'), uuid.uuid5(uuid.NAMESPACE_DNS, 'x'), len(str(uuid.uuid4())))",
  ),
  program(
    'dates',
    'import datetime',
    'print(datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc).isoformat(), datetime.datetime.fromtimestamp(0))',
  ),
  program(
    'numbers',
    'import math, decimal, fractions, statistics',
    'print(math.pi, decimal.Decimal(1) / 3, fractions.Fraction(1, 3), statistics.stdev([1, 2, 4]), 0.1 + 0.2, 2 ** 200)',
  ),
  program(
    'long numbers',
    'import sys',
    'try: print(len(str(10 ** 5000)))',
    'except ValueError as error: print(error)',
    "print(getattr(sys, 'get_int_max_str_digits', int)())",
  ),
  program(
    'regular expressions',
    'import re',
    "print(re.findall(r'(?P<a>\\w)(\\d)', 'a1 b2'), re.sub('x', lambda m: m[0] * 2, 'axb'))",
  ),
  program(
    'files',
    'import csv, json, pathlib',
    "csv.writer(open('a.csv', 'w')).writerows([[1, 'é'], [2, 'b']])",
    "print(pathlib.Path('a.csv').read_text())",
    "json.dump({'a': 1}, open('b.json', 'w'))",
  ),
  program(
    'archives',
    'import zipfile, tarfile, io',
    "with zipfile.ZipFile('a.zip', 'w') as z: z.writestr(zipfile.ZipInfo('x'), 'y')",
    "print(zipfile.ZipFile('a.zip').namelist())",
  ),
  program(
    'a zip on the path',
    'import zipfile, sys',
    "with zipfile.ZipFile('a.zip', 'w') as z: z.writestr('inside.py', 'value = 5')",
    "sys.path.insert(0, 'a.zip')",
    'import inside; print(inside.value, inside.__file__)',
  ),
  program(
    'mocks',
    'from unittest import mock',
    "with mock.patch('time.time', return_value=5):",
    '    import time; print(time.time())',
    'print(time.time() > 5)',
  ),
  program(
    'reloading',
    'import importlib, json, os',
    'print(importlib.reload(json) is json, importlib.reload(os) is os)',
  ),
  program(
    'a finder of its own',
    'import sys, importlib.abc, importlib.machinery',
    'class F(importlib.abc.MetaPathFinder, importlib.abc.Loader):',
    '    def find_spec(self, name, path, target=None):',
    "        return importlib.machinery.ModuleSpec(name, self) if name == 'made_up' else None",
    '    def exec_module(self, module): module.x = 7',
    'sys.meta_path.insert(0, F())',
    'import made_up; print(made_up.x)',
  ),
  program(
    'a hook of imports',
    'import builtins',
    'real = builtins.__import__',
    'def hook(name, *args, **kw): print(name) if name == "colorsys" else None; return real(name, *args, **kw)',
    'builtins.__import__ = hook',
    'import colorsys',
  ),
  program(
    'a new file is found at once',
    "open('one.py', 'w').write('x = 1')",
    'import one',
    "open('two.py', 'w').write('x = 2')",
    'import importlib; importlib.invalidate_caches()',
    'import two; print(one.x, two.x)',
  ),
  program(
    'context variables',
    'import contextvars',
    "v = contextvars.ContextVar('v', default=1)",
    'token = v.set(2); print(v.get()); v.reset(token); print(v.get())',
  ),
  program(
    'tracing memory',
    'import tracemalloc',
    'tracemalloc.start(); x = [1] * 1000',
    'print(tracemalloc.get_traced_memory()[0] > 0)',
  ),
  program(
    'profiling',
    'import cProfile, pstats, io',
    'p = cProfile.Profile(); p.enable(); sum(range(10)); p.disable()',
    'print(sorted(name for _, _, name in pstats.Stats(p).stats))',
  ),
  program(
    'disassembly',
    'import dis',
    'def f(x): return x + 1',
    'print([i.opname for i in dis.get_instructions(f)])',
  ),
  program(
    'compiled code',
    'import marshal',
    "exec(marshal.loads(marshal.dumps(compile('print(__name__)', 'x', 'exec'))))",
  ),
  program(
    'ctypes',
    'import ctypes',
    'print(ctypes.CDLL(None).abs(-5), ctypes.sizeof(ctypes.c_void_p), ctypes.cast(ctypes.pointer(ctypes.c_int(3)), ctypes.POINTER(ctypes.c_int))[0])',
  ),
  program(
    'ctypes callbacks',
    'import ctypes',
    'compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))(lambda a, b: a[0] - b[0])',
    'array = (ctypes.c_int * 3)(3, 1, 2)',
    'ctypes.CDLL(None).qsort(array, 3, ctypes.sizeof(ctypes.c_int), compare)',
    'print(list(array))',
  ),
  program(
    'ctypes is as it was',
    'import ctypes',
    'f = ctypes.pythonapi.PyRun_SimpleFileEx',
    'print(f.argtypes, f.restype, ctypes.pythonapi.fopen.restype, ctypes.pythonapi.exit.restype)',
  ),
  program(
    'a server',
    'import http.server, threading, urllib.request',
    'class H(http.server.BaseHTTPRequestHandler):',
    "    def do_GET(self): self.send_response(200); self.end_headers(); self.wfile.write(b'hi')",
    '    def log_message(self, *args): pass',
    's = http.server.HTTPServer(("127.0.0.1", 0), H); threading.Thread(target=s.serve_forever, daemon=True).start()',
    "print(urllib.request.build_opener(urllib.request.ProxyHandler({})).open('http://127.0.0.1:%d' % s.server_port).read())",
  ),
  program(
    'random numbers differ from fork to fork',
    'import random, os',
    'a = random.random()',
    'r, w = os.pipe()',
    'if os.fork() == 0: os.write(w, repr(random.random()).encode()); os._exit(0)',
    'os.wait(); print(os.read(r, 99).decode() != repr(a))',
  ),
]
