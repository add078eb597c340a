import type { Change } from './changed-session.ts'
import type { Repair } from './repair.ts'

const closed = 'connections and pipes: those of earlier blocks are closed. Open them again.'

/** A copy keeps the ends of pipes and sockets. */
const openEnds: Change = [
  'not in each.link:\n                each.put(dead_end())',
  'not in each.link:\n                pass',
]

/** What a process shares with its copy: open files, pipes, sockets, counters. */
export const descriptors: readonly Repair[] = [
  {
    name: 'a file has a separate offset',
    off: [
      '            elif each.is_file:\n                each.reopen()',
      '            elif each.is_file:\n                pass',
    ],
    before: "f = open('f', 'w+'); f.write('one'); f.flush()",
    undone: "f.write('two'); f.flush(); print(f.tell())",
    after: 'print(f.tell())',
    shown: '6 | 3',
    wrong: '6 | 6',
  },
  {
    name: 'a file keeps its offset',
    off: ['        if self.offset:\n', '        if False:\n'],
    before: "f = open('f', 'w+'); f.write('one'); f.flush()",
    after: 'print(f.tell())',
    shown: ' | 3',
    wrong: ' | 0',
  },
  {
    name: 'a file keeps its flags',
    off: ['KEPT_FLAGS = os.O_ACCMODE | os.O_APPEND', 'KEPT_FLAGS = os.O_ACCMODE'],
    before: "fd = os.open('f', os.O_WRONLY | os.O_CREAT | os.O_APPEND); os.write(fd, b'a')",
    after: "open('f', 'a').write('bc'); os.write(fd, b'd'); print(open('f').read())",
    shown: ' | abcd',
    wrong: ' | adc',
  },
  {
    name: 'a descriptor stays inheritable',
    off: [
      '        os.dup2(fd, self.fd, self.is_inheritable)\n        os.close(fd)',
      '        os.dup2(fd, self.fd, False)\n        os.close(fd)',
    ],
    before: "f = open('f', 'w'); os.set_inheritable(f.fileno(), True)",
    after: 'print(os.get_inheritable(f.fileno()))',
    shown: ' | True',
    wrong: ' | False',
  },
  {
    name: 'a pipe to a process closes in the session',
    off: openEnds,
    before: "p = subprocess.Popen(['cat'], stdin=-1)",
    undone:
      'p.stdin.close()\ntry: print(p.wait(timeout=2))\nexcept subprocess.TimeoutExpired: print("waits"); p.kill()',
    after: 'print("back")',
    shown: `0 | back | ${closed}`,
    wrong: `waits | back | ${closed}`,
  },
  {
    name: 'a port can be bound again',
    off: openEnds,
    before: "s = socket.create_server(('127.0.0.1', 0)); port = s.getsockname()[1]",
    undone:
      "s.close()\ntry: socket.create_server(('127.0.0.1', port)).close(); print('bound')\nexcept OSError as e: print(os.strerror(e.errno))",
    after: 'print("back")',
    shown: `bound | back | ${closed}`,
    wrong: `Address already in use | back | ${closed}`,
  },
  {
    name: 'a terminal of a child gets no second master',
    off: ['        if self.link.endswith("/ptmx"):', '        if False:'],
    before: 'import pty; master, slave = pty.openpty()',
    undone: 'print(1)',
    after: "try: os.write(master, b'x'); print('written')\nexcept OSError as e: print(os.strerror(e.errno))",
    shown: '1 | Broken pipe | descriptors (`terminal`): those of earlier blocks are closed. Open them again.',
    wrong: '1 | written',
  },
  {
    name: 'a watch of files and a timer of the kernel are named',
    off: ['        return "" if name in COPIED_OBJECTS else name', '        return ""'],
    before:
      'import ctypes; libc = ctypes.CDLL(None); libc.inotify_init1(os.O_CLOEXEC); libc.timerfd_create(1, os.O_CLOEXEC)',
    undone: 'print(1)',
    after: "print('back')",
    shown:
      '1 | back | descriptors (`inotify`, `timerfd`): those of earlier blocks are closed. Open them again.',
    wrong: '1 | back',
  },
  {
    name: 'the other end of a socket sees the end',
    off: openEnds,
    before: 'a, b = socket.socketpair(); b.settimeout(2)',
    undone: "a.close()\ntry: print(b.recv(1))\nexcept OSError: print('open')",
    after: 'print(b.recv(1))',
    shown: `b'' | b'' | ${closed}`,
    wrong: `open | TimeoutError: timed out | ${closed}`,
  },
  {
    name: 'a lock of a file is released',
    off: [
      '            elif each.is_file:\n                each.reopen()',
      '            elif each.is_file:\n                pass',
    ],
    before: "f = open('lock', 'w'); fcntl.flock(f, fcntl.LOCK_EX)",
    undone:
      "f.close(); g = open('lock')\ntry: fcntl.flock(g, fcntl.LOCK_EX | fcntl.LOCK_NB); print('locked')\nexcept OSError: print('busy')",
    after: 'print(f.closed)',
    shown: 'locked | False | file locks: `DIRECTORY/lock` is not locked now.',
    wrong: 'busy | False | file locks: `DIRECTORY/lock` is not locked now.',
  },
  {
    name: 'a pipe of the session itself',
    off: ['ends.get(each.status.st_ino, ()) == {os.O_RDONLY, os.O_WRONLY}', 'False'],
    before: 'r, w = os.pipe()',
    undone: "os.write(w, b'xyz'); print(os.read(r, 9))",
    after: "try: os.write(w, b'b'); print(os.read(r, 9))\nexcept OSError as e: print(e.strerror)",
    shown: `b'xyz' | b'b' | ${closed}`,
    wrong: `b'xyz' | Broken pipe | ${closed}`,
  },
  {
    name: 'a pipe of the session itself keeps what is in it',
    off: ['ctypes.pythonapi.tee(each.fd, pair[1], MOST_IN_PIPE, SPLICE_F_NONBLOCK)', 'pass'],
    before: "r, w = os.pipe(); os.write(w, b'a')",
    undone: 'print(os.read(r, 9))',
    after: "os.write(w, b'b'); print(os.read(r, 9))",
    shown: `b'a' | b'ab' | ${closed}`,
    wrong: `b'a' | b'b' | ${closed}`,
  },
  {
    name: 'a pipe of the session itself does not wait, as before',
    off: ['                os.set_blocking(pair[not is_reader], not each.flags & os.O_NONBLOCK)\n', ''],
    before: 'r, w = os.pipe(); os.set_blocking(r, False)',
    after: 'try: os.read(r, 1)\nexcept BlockingIOError: print("empty")',
    shown: ` | empty | ${closed}`,
    wrong: ` | timeout | ${closed}`,
  },
  {
    name: 'epoll',
    off: ['            each.renew_events()', '                pass'],
    before: 'r, w = os.pipe(); e = select.epoll(); e.register(r, select.EPOLLIN)',
    undone: 'e.unregister(r); print(e.poll(0))',
    after: "os.write(w, b'b'); print(e.poll(1) == [(r, 1)])",
    shown: `[] | True | ${closed}`,
    wrong: `[] | False | ${closed}`,
  },
  {
    name: 'a counter of events',
    off: ['                each.renew_counter()', '                    pass'],
    before: 'import ctypes; fd = ctypes.CDLL(None).eventfd(3, os.O_NONBLOCK)',
    undone: 'print(os.read(fd, 8)[0])',
    after: 'try: print(os.read(fd, 8)[0])\nexcept BlockingIOError: print("empty")',
    shown: '3 | 3',
    wrong: '3 | empty',
  },
  {
    name: 'a descriptor of a process',
    off: ['elif "pidfd" not in each.link and "eventpoll"', 'elif "eventpoll"'],
    before: 'p = subprocess.Popen(["sleep", "600"]); fd = os.pidfd_open(p.pid)',
    undone: 'signal.pidfd_send_signal(fd, 0); print("there")',
    after:
      'try: signal.pidfd_send_signal(fd, signal.SIGKILL); print("there")\nexcept OSError as e: print(e.strerror)',
    shown: 'there | there | running processes.',
    wrong: 'there | Bad file descriptor | running processes.',
  },
  {
    name: 'a file that cannot be opened again',
    off: [
      '        except OSError:\n            each.put(os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC))',
      '        except ZeroDivisionError:\n            pass',
    ],
    before: "p = subprocess.Popen(['sleep', '600']); f = open(f'/proc/{p.pid}/maps'); p.kill(); p.wait()",
    after: 'print(f.closed)',
    shown: ' | False',
    wrong: ' | NO_CHECKPOINT',
  },
  {
    name: 'a file that the collector closes meanwhile',
    off: ['[each for each in descriptors if each.is_open]', 'descriptors'],
    before:
      "class Cycle: pass\nf = open('f', 'w'); fd = f.fileno()\nos.register_at_fork(after_in_child=lambda: globals().pop('f', None))",
    undone: '1',
    after: 'try: os.fstat(fd); print("open")\nexcept OSError: print("closed")',
    shown: ' | closed',
    wrong: ' | NO_CHECKPOINT',
  },
  {
    name: 'a file that was replaced',
    off: [
      '                if not os.path.samestat(os.stat(each.link), each.status):',
      '                if False:',
    ],
    before: "f = open('f', 'w'); f.write('one'); f.flush()",
    undone: "open('g', 'w').write('other'); os.replace('g', 'f'); print(open('f').read())",
    after: "f.write('two'); f.flush(); print(open('f').read())",
    shown: 'other | onetwo',
    wrong: 'other | one',
  },
  {
    name: 'the directory of the process',
    off: ['                os.chdir(self.directory[0])', '                pass'],
    before: "os.mkdir('d'); os.chdir('d')",
    undone: "os.chdir('..'); os.rmdir('d'); print(os.path.exists('d'))",
    after: "open('x', 'w').close(); print(os.path.exists('../d/x')); os.chdir('..')",
    shown: 'False | True',
    wrong: 'False | False',
  },
  {
    name: 'a duplicate of stdout',
    off: [
      'for each in self.descriptors if own is not None and os.path.samestat(each.status, own.status)]',
      'for each in () if True]',
    ],
    before: 'fd = os.dup(1)',
    undone: "os.write(fd, b'y')",
    after: "try: os.write(fd, b'z')\nexcept OSError as e: print(e.strerror)",
    shown: 'y | z',
    wrong: `y | Broken pipe | ${closed}`,
  },
]
