/** A repair of the store of files, and a program that is wrong without it. See `rows.py`. */
export interface StoreRepair {
  readonly name: string
  /** Switches the repair off. */
  readonly off: readonly [text: string, other: string]
  readonly program: string
  readonly shown: string
  readonly wrong: string | RegExp
  /** The program has no rights of root. */
  readonly isUnprivileged?: true
}

const coarseTimes =
  'key_of = lambda status: (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns // 10**9, status.st_ctime_ns // 10**9)'
const later = 'now = time.time_ns; time.time_ns = lambda: now() + 10**10'

export const keeping: readonly StoreRepair[] = [
  {
    name: 'a file that changes again within a step of the clock',
    off: ['YOUNG_NS = 20_000_000', 'YOUNG_NS = -10**12'],
    program: `${coarseTimes}\nput("f", "a"); keep(); put("f", "b"); keep(2); put("f", "cc"); back(2); print(get("f"))`,
    shown: 'b',
    wrong: 'a',
  },
  {
    name: 'the same content is kept once',
    off: ['if known is not None and known.users > 0 and self', 'if False and self'],
    program: 'put("f", "abc"); keep(); keep(2); print(store.contents.used)',
    shown: '3',
    wrong: '6',
  },
  {
    name: 'small files are kept before large ones',
    off: ['key=lambda path: tree[path].key[2]', 'key=lambda path: -tree[path].key[2]'],
    program:
      'put("large", "x" * 800); put("small", "y" * 300); keep(); put("small", ""); print(back(), len(get("small")))',
    shown: '[] 300',
    wrong: "['small'] 0",
  },
  {
    name: 'the number of files is limited',
    off: ['                kept += 1\n', ''],
    program:
      'store.most_files = 2\nfor name in "abc": put(name, "x")\nkeep()\nfor name in "abc": put(name, "")\nprint(len(back()))',
    shown: '1',
    wrong: '0',
  },
  {
    name: 'the bytes of files are limited',
    off: ['self.used + size > self.most_bytes or', 'False or'],
    program: 'put("f", "x" * 2000); keep(); print(store.contents.used)',
    shown: '0',
    wrong: '2000',
  },
  {
    name: 'bytes of dropped contents are free again',
    off: ['        self.used -= content.cost\n', ''],
    program:
      'put("f", "x" * 800); keep(); store.drop(1); put("f", "y" * 800); keep(2); put("f", ""); print(back(2))',
    shown: '[]',
    wrong: "['f']",
  },
  {
    name: 'ranges of dropped contents are used again',
    off: ['            if size >= room:', '            if False:'],
    program:
      'for step in range(9): put("f", str(step)); keep(); store.drop(1)\nprint(os.fstat(store.contents.fd).st_size <= 2 * BLOCK)',
    shown: 'True',
    wrong: 'False',
  },
  {
    name: 'dropped contents take no room on the disk',
    off: [
      '            ctypes.pythonapi.fallocate(self.fd, PUNCH_HOLE, ctypes.c_long(start), ctypes.c_long(room))\n',
      '',
    ],
    program: 'put("f", "x"); keep(); store.drop(1); print(os.fstat(store.contents.fd).st_blocks)',
    shown: '0',
    wrong: /[1-9]/,
  },
  {
    name: 'older checkpoints are to be dropped where they take the room for all files',
    off: ['            self.had_no_room = True', '            pass'],
    program: 'put("f", "x" * 800); keep(); put("f", "y" * 800); keep(2); print(store.is_short)',
    shown: 'True',
    wrong: 'False',
  },
  {
    name: 'older checkpoints stay where there would be no room without them',
    off: ['is_whole = kept < self.most_files and', 'is_whole = True or'],
    program: 'put("f", "x" * 2000); keep(); print(store.is_short)',
    shown: 'False',
    wrong: 'True',
  },
  {
    name: 'a file that changes while it is kept',
    off: [
      '                entry.key, entry.time = key_of(status), status.st_mtime_ns\n',
      '                pass\n',
    ],
    program: `
put("f", "a"); os.utime(at("f"), ns=(1, 1))
plain = scan
def scan(directory):
    tree = plain(directory)
    if get("f") == "a": put("f", "b")
    return tree
keep(); put("f", "c"); back(); print(get("f"), os.stat(at("f")).st_mtime_ns == 1)`,
    shown: 'b False',
    wrong: 'b True',
  },
  {
    name: 'contents that no checkpoint has are forgotten',
    off: [
      '        self.known = {key: (content, at) for key, (content, at) in self.known.items() if content.users > 0}\n',
      '',
    ],
    program: `put("f", "a"); ${later}; keep(); store.drop(1); keep(2); put("f", "b"); back(2); print(repr(get("f")))`,
    shown: "'a'",
    wrong: "'\\x00'",
  },
  {
    name: 'too many entries: no file is restored, and none is removed',
    off: ['                        return None\n', '                        break\n'],
    program:
      'MOST_ENTRIES = 3\nfor name in "abcdefgh": put(name, "x")\nkeep(); put("new", ""); print(back(), len(os.listdir(root)))',
    shown: 'None 9',
    wrong: /\[\] [0-8]/,
  },
  {
    name: 'contents are in memory where the file system has no files without a name',
    off: ['ctypes.pythonapi.memfd_create(b"files", MFD_CLOEXEC)', '-1'],
    program:
      'del os.O_TMPFILE; store = Store(root, 1000, 50); put("f", "a"); keep(); put("f", "b"); print(back(), get("f"))',
    shown: '[] a',
    wrong: /Bad file descriptor/,
  },
  {
    name: 'file systems between which the kernel copies nothing',
    off: [
      '            except OSError:\n                is_fast = False',
      '            except ZeroDivisionError:\n                is_fast = False',
    ],
    program:
      'os.copy_file_range = lambda *_: os.close(-1); put("f", "a"); keep(); put("f", "b"); print(back(), get("f"))',
    shown: '[] a',
    wrong: "['f'] b",
  },
  {
    name: 'files that are empty for the kernel, and have content',
    off: [
      '            if count == 0:\n                # Some',
      '            if False:\n                # Some',
    ],
    program:
      'os.copy_file_range = lambda *_: 0; put("f", "a"); keep(); put("f", "b"); print(back(), get("f"))',
    shown: '[] a',
    wrong: /^(?!\[\] a$)/,
  },
  {
    name: 'a content that begins like another one',
    off: ['        if content.size != size:', '        if False:'],
    program: 'put("f", "a"); put("g", "bb"); keep(); put("f", "a\\0"); back(); print(len(get("f")))',
    shown: '1',
    wrong: '2',
  },
]

export const restoring: readonly StoreRepair[] = [
  {
    name: 'a directory that has another name now is the same directory',
    off: ['        now = self.rename_directories(root, now)\n', ''],
    program:
      'os.mkdir(at("d")); file = os.open(at("d"), os.O_RDONLY); keep(); os.rename(at("d"), at("e")); back(); print(is_same(file, "d"))',
    shown: 'True',
    wrong: 'False',
  },
  {
    name: 'a file that has another name now is the same file',
    off: ['        self.put_aside(now)\n', ''],
    program:
      'put("f", "a"); file = open(at("f")); keep(); os.rename(at("f"), at("g")); back(); print(is_same(file, "f"), get("g"))',
    shown: 'True FileNotFoundError',
    wrong: 'False FileNotFoundError',
  },
  {
    name: 'a file whose name cannot be restored is not lost',
    off: [
      '            self.guarded(path, lambda path: os.rename(aside, path))',
      '            self.guarded(aside, remove_entry)',
    ],
    program: `
os.mkdir(at("d")); put("d/f", "x" * 2000); keep()
os.rename(at("d/f"), at("g")); os.rmdir(at("d"))
os.mkdir = lambda *_: os.close(-1)
print(back(), len(get("g")))`,
    shown: "['d', 'd/f'] 2000",
    wrong: "['d', 'd/f'] 17",
  },
  {
    name: 'hard links',
    off: ['                os.link(other, path)', '                open(path, "w").close()'],
    program:
      'put("f", "a"); os.link(at("f"), at("g")); keep(); os.remove(at("g")); back(); print(number("f") == number("g"))',
    shown: 'True',
    wrong: 'False',
  },
  {
    name: 'what was not there is removed',
    off: ['        self.remove_others(now)\n', ''],
    program: 'keep(); put("f", "a"); os.mkdir(at("d")); back(); print(os.listdir(root))',
    shown: '[]',
    wrong: /'f'/,
  },
  {
    name: 'another file in the place of one is removed, because programs may have it open',
    off: ['                is_same = then.identity == entry.identity\n', '                pass\n'],
    program:
      'put("f", "a"); keep(); put("g", "b"); os.rename(at("g"), at("f")); file = open(at("f")); back(); print(file.read(), get("f"))',
    shown: 'b a',
    wrong: 'a a',
  },
  {
    name: 'a file that was not kept, and has changed, is named',
    off: ['        elif now is None or key_of(now)[:4] != then.key[:4]:', '        elif False:'],
    program: 'put("f", "x" * 2000); keep(); put("f", "y"); print(back(), get("f"))',
    shown: "['f'] y",
    wrong: '[] y',
  },
  {
    name: 'a program that runs',
    off: [
      '            os.unlink(path)\n            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL',
      '            fd = os.open(path, os.O_RDWR | os.O_CREAT',
    ],
    program: `
store = Store(root, 10**8, 50)
shutil.copy(shutil.which("true"), at("p")); keep(); shutil.copyfile(shutil.which("sleep"), at("p"))
process = subprocess.Popen([at("p"), "600"])
print(back(), subprocess.run([at("p"), "x"]).returncode)
process.kill(); process.wait()`,
    shown: '[] 0',
    wrong: /^\['p'\]/,
  },
  {
    name: 'modes',
    off: ['            os.chmod(path, stat.S_IMODE(then.mode))', '            pass'],
    program:
      'put("f", "a"); os.chmod(at("f"), 0o640); keep(); os.chmod(at("f"), 0o600); back(); print(oct(os.stat(at("f")).st_mode))',
    shown: '0o100640',
    wrong: '0o100600',
  },
  {
    name: 'times',
    off: ['            os.utime(path, ns=(now.st_atime_ns, then.time))', '            pass'],
    program:
      'put("f", "a"); os.utime(at("f"), ns=(1, 1)); keep(); put("f", "b"); back(); print(os.stat(at("f")).st_mtime_ns)',
    shown: '1',
    wrong: /\d{2,}/,
  },
  {
    name: 'times of directories, which change with their entries',
    off: ['                self.guarded(path, self.restore_attributes)', '                pass'],
    program:
      'os.mkdir(at("d")); os.utime(at("d"), ns=(1, 1)); keep(); put("d/f", "b"); back(); print(os.stat(at("d")).st_mtime_ns)',
    shown: '1',
    wrong: /\d{2,}/,
  },
  {
    name: 'symbolic links',
    off: ['                os.symlink(then.link, path)\n', ''],
    program:
      'os.symlink("a", at("l")); keep(); os.remove(at("l")); os.symlink("b", at("l")); back(); print(os.path.lexists(at("l")) and os.readlink(at("l")))',
    shown: 'a',
    wrong: 'False',
  },
  {
    name: 'times of symbolic links',
    off: [
      '                os.utime(path, ns=(then.time, then.time), follow_symlinks=False)',
      '                pass',
    ],
    program:
      'os.symlink("a", at("l")); os.utime(at("l"), ns=(1, 1), follow_symlinks=False); keep(); os.remove(at("l")); back(); print(os.lstat(at("l")).st_mtime_ns)',
    shown: '1',
    wrong: /\d{2,}/,
  },
  {
    name: 'named pipes',
    off: ['                os.mkfifo(path)\n', '                pass\n'],
    program: 'os.mkfifo(at("p")); keep(); os.remove(at("p")); print(back(), os.path.exists(at("p")))',
    shown: '[] True',
    wrong: "['p'] False",
  },
  {
    name: 'sockets are named',
    off: ['            # A socket or a device.\n            self.failed.append(path)', '            pass'],
    program:
      'import socket; s = socket.socket(socket.AF_UNIX); s.bind(at("s")); keep(); os.remove(at("s")); print(back())',
    shown: "['s']",
    wrong: '[]',
  },
  {
    name: 'restored contents are known',
    off: ['        self.learn()\n', ''],
    program: `${later}\nput("f", "a"); keep(); put("f", "b"); back(); reads = []\nplain = store.read\nstore.read = lambda *a: (reads.append(1), plain(*a))[1]\ntime.time_ns = lambda: now() + 2 * 10**10\nkeep(2); keep(3); print(len(reads))`,
    shown: '0',
    wrong: '1',
  },
  {
    name: 'a file that nobody may write',
    off: [
      '        except PermissionError:\n            if not os.path',
      '        except ZeroDivisionError:\n            if not os.path',
    ],
    program:
      'put("f", "a"); file = open(at("f")); os.chmod(at("f"), 0o400); keep(); os.chmod(at("f"), 0o600); put("f", "b"); os.chmod(at("f"), 0o400); print(back(), get("f"), is_same(file, "f"))',
    shown: '[] a True',
    wrong: '[] a False',
    isUnprivileged: true,
  },
  {
    name: 'a directory in which nobody may write',
    off: ['            os.chmod(directory, stat.S_IMODE(mode) | 0o700)\n', ''],
    program:
      'os.mkdir(at("d")); put("d/f", "a"); os.chmod(at("d"), 0o500); keep(); os.chmod(at("d"), 0o700); os.remove(at("d/f")); os.chmod(at("d"), 0o500); print(back(), get("d/f"))',
    shown: '[] a',
    wrong: "['d/f'] FileNotFoundError",
    isUnprivileged: true,
  },
  {
    name: 'a directory in which nobody may write keeps its mode',
    off: ['                os.chmod(directory, stat.S_IMODE(mode))', '                pass'],
    program:
      'os.mkdir(at("d")); put("d/f", "a"); os.chmod(at("d"), 0o500); keep(); os.chmod(at("d"), 0o700); os.remove(at("d/f")); os.chmod(at("d"), 0o500)\nRestore.restore_attributes = lambda *_: None\nback(); print(oct(os.stat(at("d")).st_mode))',
    shown: '0o40500',
    wrong: '0o40700',
    isUnprivileged: true,
  },
  {
    name: 'a directory that nobody may read is removed',
    off: ['        os.chmod(path, 0o700)\n        names', '        names'],
    program:
      'keep(); os.mkdir(at("d")); put("d/f", "a"); os.chmod(at("d"), 0); print(back(), os.listdir(root))',
    shown: '[] []',
    wrong: "['d'] ['d']",
    isUnprivileged: true,
  },
]
