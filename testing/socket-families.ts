/** The result of {@link socketFamiliesProgram}. */
export interface SocketFamilies {
  /** Families of which `socket` makes sockets of some type. */
  readonly families: readonly number[]
  /** Errors for all other families. */
  readonly errors: readonly string[]
  /** Families of which `socketpair` makes pairs. */
  readonly pairs: readonly number[]
  /** Protocols of netlink sockets. */
  readonly netlink: readonly number[]
  /** Other ways to call the kernel by which an AF_VSOCK socket can be made. */
  readonly detours: readonly string[]
}

/** AF_UNIX, AF_INET, AF_INET6, and netlink for addresses and routes. */
export const allowedSockets: SocketFamilies = {
  families: [1, 2, 10, 16],
  errors: ['EAFNOSUPPORT'],
  pairs: [1],
  netlink: [0],
  detours: [],
}

/** A Python program that tries every socket family, and prints {@link SocketFamilies} as JSON. */
export const socketFamiliesProgram = `
import ctypes, errno, json, mmap, os, platform, struct
libc = ctypes.CDLL(None, use_errno=True)
types = [1, 2, 3, 5]
errors = set()
def makes(family, type, protocol=0):
    descriptor = libc.socket(family, type, protocol)
    if descriptor >= 0: os.close(descriptor)
    return descriptor >= 0 or errno.errorcode[ctypes.get_errno()]
def pairs(family, type):
    both = (ctypes.c_int * 2)()
    if libc.socketpair(family, type, 0, both) < 0: return False
    for each in both: os.close(each)
    return True
families = []
for family in range(51):
    answers = [makes(family, type) for type in types]
    if True in answers: families.append(family)
    elif family not in (1, 2, 10, 16): errors.update(answers)
netlink = [protocol for protocol in range(32) if makes(16, 3, protocol) is True]
def in_child(act):
    child = os.fork()
    if child == 0: os._exit(0 if is_new(act()) else 1)
    return os.waitpid(child, 0)[1] == 0
def is_new(descriptor): return descriptor > 2 and os.path.exists('/proc/self/fd/%d' % descriptor)
def socketcall():
    memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40, prot=7)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    # push rbx; eax = socketcall; ebx = SYS_SOCKET; ecx = its arguments; int 0x80; pop rbx; ret
    memory[:19] = b'\\x53\\xb8\\x66\\0\\0\\0\\xbb\\1\\0\\0\\0\\xb9' + struct.pack('<I', address + 64) + b'\\xcd\\x80\\x5b'
    memory[19:20] = b'\\xc3'
    memory[64:76] = struct.pack('<III', 40, 1, 0)
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()
detours = {}
if platform.machine() == 'x86_64':
    detours['socketcall'] = socketcall
    detours['x32'] = lambda: libc.syscall(0x40000000 + 41, 40, 1, 0)
# Its ring makes sockets without the call for sockets.
detours['io_uring'] = lambda: libc.syscall(425, 1, (ctypes.c_char * 120)())
print(json.dumps({
    'families': families,
    'errors': sorted(map(str, errors)),
    'pairs': [family for family in range(51) if any(pairs(family, type) for type in types)],
    'netlink': netlink,
    'detours': [name for name in detours if in_child(detours[name])],
}))
`
