import { findProgram } from '@fenced/host'

/** The user and group `nobody`. It owns no file that programs see, and every Linux distribution has it. */
const number = 65_534

/** Where the mount namespace has the directories: no program of this machine can change it, and no sandbox shows it. */
const places = '/sys'

/** Of the system. */
const pythons = ['/usr/bin/python3', '/usr/local/bin/python3']

/**
 * Mounts each directory with a mapped owner below a private directory, in a separate mount namespace: files of its owner appear as files of the
 * user, and files that the user makes belong to its owner on the disk. Then becomes a command. The numbers of system calls are those of every processor.
 */
const changeOwners = `
import _signal, ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def check(result, path):
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)
    return result
def call(number, path, *arguments): return check(libc.syscall(ctypes.c_long(number), *arguments), path)
def namespace_of(owner):
    end, begin = os.pipe()
    stay, leave = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(end)
        os.close(leave)
        result = libc.unshare(0x10000000)
        os.write(begin, b"1" if result == 0 else b"0")
        os.read(stay, 1)
        os._exit(0)
    os.close(begin)
    if os.read(end, 1) != b"1": raise OSError("this process cannot make a user namespace")
    for kind, number in (("uid", owner.st_uid), ("gid", owner.st_gid)):
        with open(f"/proc/{process}/{kind}_map", "w") as file: file.write(f"{number} {user} 1")
    namespace = os.open(f"/proc/{process}/ns/user", os.O_RDONLY)
    os.close(leave)
    os.waitpid(process, 0)
    return namespace
def owned_tree(path, identity):
    # Only by descriptor: a program of another sandbox could replace the path at any time.
    directory = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    owner = os.fstat(directory)
    if f"{owner.st_dev}:{owner.st_ino}" != identity: sys.exit(f"fenced: {path} was replaced while the sandbox was created")
    # bubblewrap enters it with a capability that the command does not have.
    if path == cwd and not owner.st_mode & 0o100: sys.exit(f"fenced: the owner of {cwd} cannot enter it")
    namespace = namespace_of(owner)
    # OPEN_TREE_CLONE with all that is mounted below, of which only the topmost gets other owners.
    tree = call(428, path, ctypes.c_int(directory), b"", ctypes.c_uint(0x89001))
    attributes = (ctypes.c_uint64 * 4)(0x100000, 0, 0, namespace)
    call(442, path, ctypes.c_int(tree), b"", ctypes.c_uint(0x1000), attributes, ctypes.c_size_t(32))
    for descriptor in (namespace, directory): os.close(descriptor)
    return tree
user, cwd, places, count = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
words, command = sys.argv[5:5 + 2 * count], sys.argv[5 + 2 * count:]
try:
    check(libc.unshare(0x20000), "mount namespace")
    # Private, so that nothing of it is seen outside.
    check(libc.mount(None, b"/", None, ctypes.c_ulong(0x44000), None), "/")
    trees = [owned_tree(path, identity) for path, identity in zip(words[::2], words[1::2])]
    # No other program can replace a path there before bubblewrap resolves it.
    check(libc.mount(b"tmpfs", places.encode(), b"tmpfs", ctypes.c_ulong(0), b"mode=0755"), places)
    for index, tree in enumerate(trees):
        place = f"{places}/{index}"
        os.mkdir(place)
        call(429, place, ctypes.c_int(tree), b"", ctypes.c_int(-100), place.encode(), ctypes.c_uint(4))
        os.close(tree)
    # Python ignores these, and so would the command.
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ): _signal.signal(number, _signal.SIG_DFL)
    # Python adds a locale to its own variables.
    with open("/proc/self/environ", "rb") as file: variables = file.read().split(b"\\0")
    os.execve(command[0], command, dict(each.split(b"=", 1) for each in variables if b"=" in each))
except OSError as error:
    sys.exit(f"fenced: the owner of files cannot be changed for programs: {error}")
`

interface OwnedDirectory {
  /** Without links. */
  readonly realPath: string
  /** Which it must have. */
  readonly identity: string
}

interface OwnedDirectories {
  readonly directories: readonly OwnedDirectory[]
  readonly cwd: string
}

/** Gives programs in bubblewrap a user without rights where this process is root. */
export class UnprivilegedUser {
  readonly #python: string
  readonly #setpriv: string

  /** The answer is what is missing where there can be none. */
  static find(): UnprivilegedUser | string {
    const python = pythons.flatMap((path) => findProgram(path) ?? []).at(0)
    if (python === undefined) return `There is no Python at ${pythons.join(' or ')}.`
    const setpriv = findProgram('setpriv')
    if (setpriv === undefined) return 'The program setpriv (of util-linux) is not on the PATH.'
    return new UnprivilegedUser(python, setpriv)
  }

  private constructor(python: string, setpriv: string) {
    this.#python = python
    this.#setpriv = setpriv
  }

  /** The programs that make it. */
  get programs(): readonly string[] {
    return [this.#python, this.#setpriv]
  }

  get number(): number {
    return number
  }

  /** Where `command` of {@link withFilesIn} finds the directory with this index. */
  place(index: number): string {
    return `${places}/${index}`
  }

  /**
   * The command that runs `command`, as root, where files in `directories` that their owners have belong to this user. It fails where
   * `cwd` is one of these and the owner of it cannot enter it.
   */
  withFilesIn({ directories, cwd }: OwnedDirectories, command: readonly string[]): [string, ...string[]] {
    const words = ['-I', '-S', '-c', changeOwners, `${number}`, cwd, places, `${directories.length}`]
    const owned = directories.flatMap(({ realPath, identity }) => [realPath, identity])
    return [this.#python, ...words, ...owned, ...command]
  }

  /** The command that runs `command` as this user. It needs {@link capabilities}, and leaves none. */
  become(command: readonly string[]): string[] {
    const ids = [`--reuid=${number}`, `--regid=${number}`, '--clear-groups']
    const capabilities = ['--inh-caps=-all', '--bounding-set=-all']
    // The kernel forgets this signal when the user changes.
    return [this.#setpriv, ...ids, ...capabilities, '--pdeathsig=KILL', '--', ...command]
  }

  /** Those of root until it has become this user; the last one to enter the working directory. */
  get capabilities(): readonly string[] {
    return ['cap_setuid', 'cap_setgid', 'cap_setpcap', 'cap_dac_read_search']
  }
}
