/**
 * The system calls that programs in a sandbox cannot make: a seccomp filter, as a program for the kernel's own small machine
 * (bpf(4), seccomp(2)). Other calls are allowed, but sockets only of the listed families. Programs of models need none of the refused
 * calls, and the kernel refuses most of them anyway to a user without capabilities; but they have often been the way out of a sandbox.
 */
interface Calls {
  /** As `seccomp_data.arch` has it (linux/audit.h). */
  readonly architecture: number
  /** Numbers from here on are those of another way to call the kernel (x32). */
  readonly limit?: number
  /** By name (`<asm/unistd.h>`). */
  readonly numbers: Readonly<Record<string, number>>
}

const since2019 = {
  ...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427 },
  ...{ open_tree: 428, move_mount: 429, fsopen: 430, fsconfig: 431, fsmount: 432, fspick: 433 },
  ...{
    pidfd_open: 434,
    clone3: 435,
    openat2: 437,
    mount_setattr: 442,
    quotactl_fd: 443,
    fchmodat2: 452,
    open_tree_attr: 467,
  },
}

const callsOf: Readonly<Record<string, Calls>> = {
  x64: {
    architecture: 0xc000003e,
    limit: 0x40000000,
    numbers: {
      ...{
        open: 2,
        ioctl: 16,
        socket: 41,
        socketpair: 53,
        clone: 56,
        creat: 85,
        chmod: 90,
        fchmod: 91,
        ptrace: 101,
        syslog: 103,
        mknod: 133,
      },
      ...{
        pivot_root: 155,
        chroot: 161,
        acct: 163,
        settimeofday: 164,
        mount: 165,
        umount2: 166,
        swapon: 167,
      },
      ...{ swapoff: 168, reboot: 169, iopl: 172, ioperm: 173, init_module: 175, delete_module: 176 },
      ...{ quotactl: 179, lookup_dcookie: 212, clock_settime: 227, kexec_load: 246, add_key: 248 },
      ...{ request_key: 249, keyctl: 250, openat: 257, mknodat: 259, fchmodat: 268, unshare: 272 },
      ...{ perf_event_open: 298, open_by_handle_at: 304, clock_adjtime: 305, setns: 308, finit_module: 313 },
      ...{ process_vm_readv: 310, process_vm_writev: 311, kexec_file_load: 320, bpf: 321, userfaultfd: 323 },
      ...since2019,
    },
  },
  arm64: {
    architecture: 0xc00000b7,
    numbers: {
      ...{ lookup_dcookie: 18, ioctl: 29, mknodat: 33, umount2: 39, mount: 40, pivot_root: 41, chroot: 51 },
      ...{ fchmod: 52, fchmodat: 53, openat: 56, quotactl: 60, acct: 89, unshare: 97, kexec_load: 104 },
      ...{ init_module: 105, delete_module: 106, clock_settime: 112, syslog: 116, ptrace: 117, reboot: 142 },
      ...{ settimeofday: 170, socket: 198, socketpair: 199 },
      ...{ add_key: 217, request_key: 218, keyctl: 219, clone: 220, swapon: 224, swapoff: 225 },
      ...{ perf_event_open: 241, open_by_handle_at: 265, clock_adjtime: 266, setns: 268 },
      ...{
        process_vm_readv: 270,
        process_vm_writev: 271,
        finit_module: 273,
        bpf: 280,
        userfaultfd: 282,
        kexec_file_load: 294,
      },
      ...since2019,
    },
  },
}

/** Refused with any arguments. */
const refused = [
  // The keys of the session, which is the host's.
  ...['add_key', 'request_key', 'keyctl'],
  // Great parts of the kernel that nothing here needs.
  ...['bpf', 'perf_event_open', 'userfaultfd', 'io_uring_setup', 'io_uring_enter', 'io_uring_register'],
  // Another view of the file system, or of the machine.
  ...['mount', 'umount2', 'pivot_root', 'chroot', 'setns', 'unshare', 'open_by_handle_at'],
  ...[
    'open_tree',
    'open_tree_attr',
    'move_mount',
    'fsopen',
    'fsconfig',
    'fsmount',
    'fspick',
    'mount_setattr',
  ],
  // The machine itself.
  ...['init_module', 'finit_module', 'delete_module', 'kexec_load', 'kexec_file_load', 'reboot', 'acct'],
  ...['swapon', 'swapoff', 'quotactl', 'quotactl_fd', 'syslog', 'iopl', 'ioperm', 'lookup_dcookie'],
  ...['settimeofday', 'clock_settime', 'clock_adjtime'],
]

/** As if the kernel were too old: their arguments lie in memory, and callers know what to do without. */
const unknown = ['clone3', 'openat2']

/** SECCOMP_RET_ALLOW, and SECCOMP_RET_ERRNO with EPERM, ENOSYS, EAFNOSUPPORT, EPROTONOSUPPORT. */
const [allowed, notPermitted, noSuchCall] = [0x7fff0000, 0x00050001, 0x00050026]
const [noSuchFamily, noSuchProtocol] = [0x00050061, 0x0005005d]

/** A test of the lower half of an argument: whether it has any of the bits, or is the value. */
type Test = readonly [argument: number, test: 'hasAny' | 'is' | 'isNot', value: number]

/**
 * The socket families of programs: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. The network namespace bounds them. It bounds others not at
 * all (AF_VSOCK reaches the hypervisor and other services of this machine), or they are a large part of the kernel that programs can
 * do without (AF_ALG). The kernel answers the same for a family that it does not have, so programs know what to do.
 */
const socketFamilies = [1, 2, 10, 16]
const netlink = 16
/** NETLINK_ROUTE: lists interfaces and addresses, for `getifaddrs` and `getaddrinfo`. */
const routes = 0

/** Set-user-id and set-group-id: a file with them, left in a shared directory, gives away the rights of its owner. */
const setId = 0o6000
/** O_CREAT and O_TMPFILE (asm-generic/fcntl.h). Without these flags the mode is an undefined register value. */
const makesFile = 0o20000100
/** CLONE_NEW*, but for that of time, which `clone` does not know. */
const newNamespace = 0x7e020000

const otherFamily = socketFamilies.map((family): Test => [0, 'isNot', family])

/** Refused when all tests of a line hold. */
const conditional: readonly (readonly [name: string, ...tests: readonly Test[]])[] = [
  ['clone', [0, 'hasAny', newNamespace]],
  // Who traces process 1 of the sandbox, or writes its memory, can leave a process that does not end with a block or with the host.
  ['ptrace', [1, 'is', 1]],
  ['process_vm_readv', [0, 'is', 1]],
  ['process_vm_writev', [0, 'is', 1]],
  ['pidfd_open', [0, 'is', 1]],
  // TIOCSTI and TIOCLINUX put input into a terminal, as if it had been typed.
  ['ioctl', [1, 'is', 0x5412]],
  ['ioctl', [1, 'is', 0x541c]],
  ['chmod', [1, 'hasAny', setId]],
  ['fchmod', [1, 'hasAny', setId]],
  ['fchmodat', [2, 'hasAny', setId]],
  ['fchmodat2', [2, 'hasAny', setId]],
  ['mknod', [1, 'hasAny', setId]],
  ['mknodat', [2, 'hasAny', setId]],
  ['creat', [1, 'hasAny', setId]],
  ['open', [1, 'hasAny', makesFile], [2, 'hasAny', setId]],
  ['openat', [2, 'hasAny', makesFile], [3, 'hasAny', setId]],
]

/** As {@link conditional}, for callers that handle a family or protocol that the kernel does not have. */
const unsupported: readonly (readonly [name: string, answer: number, ...tests: readonly Test[]])[] = [
  ['socket', noSuchFamily, ...otherFamily],
  ['socketpair', noSuchFamily, ...otherFamily],
  ['socket', noSuchProtocol, [0, 'is', netlink], [2, 'isNot', routes]],
]

/** Returns the filter for a processor, by Node's name of it; `undefined` for an unknown processor. */
export function systemCallFilter(processor: string): Uint8Array | undefined {
  const calls = callsOf[processor]
  if (calls === undefined) return undefined
  const { architecture, limit, numbers } = calls
  const number = (name: string) => numbers[name] ?? -1
  const known = (name: string) => name in numbers
  return assembled([
    load(architectureOffset),
    jump('is', architecture, 1, 0),
    answer(noSuchCall),
    load(numberOffset),
    ...(limit === undefined ? [] : [jump('isAtLeast', limit, 0, 1), answer(noSuchCall)]),
    ...refused.filter(known).flatMap((name) => [jump('is', number(name), 0, 1), answer(notPermitted)]),
    ...unknown.filter(known).flatMap((name) => [jump('is', number(name), 0, 1), answer(noSuchCall)]),
    ...conditional
      .filter(([name]) => known(name))
      .flatMap(([name, ...tests]) => refusedWhen(number(name), tests, notPermitted)),
    ...unsupported.flatMap(([name, error, ...tests]) => refusedWhen(number(name), tests, error)),
    answer(allowed),
  ])
}

/** An instruction: struct sock_filter (linux/filter.h). */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

const codes = { is: 0x15, isAtLeast: 0x35, hasAny: 0x45 } as const
const [numberOffset, architectureOffset, argumentsOffset] = [0, 4, 16]

const load = (offset: number): Instruction => [0x20, 0, 0, offset]
const answer = (value: number): Instruction => [0x06, 0, 0, value]
const jump = (test: keyof typeof codes, value: number, ifTrue: number, ifFalse: number): Instruction => [
  codes[test],
  ifTrue,
  ifFalse,
  value,
]

function refusedWhen(number: number, tests: readonly Test[], error: number): Instruction[] {
  const body = tests.flatMap(([argument, test, value], index): Instruction[] => {
    // The number is loaded again after the other tests and their answer.
    const toTheEnd = 2 * (tests.length - index - 1) + 1
    const next = test === 'isNot' ? jump('is', value, toTheEnd, 0) : jump(test, value, 0, toTheEnd)
    return [load(argumentsOffset + 8 * argument), next]
  })
  const all = [...body, answer(error), load(numberOffset)]
  return [jump('is', number, 0, all.length), ...all]
}

function assembled(instructions: readonly Instruction[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * instructions.length))
  for (const [index, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    view.setUint16(8 * index, code, true)
    view.setUint8(8 * index + 2, ifTrue)
    view.setUint8(8 * index + 3, ifFalse)
    view.setUint32(8 * index + 4, value, true)
  }
  return new Uint8Array(view.buffer)
}
