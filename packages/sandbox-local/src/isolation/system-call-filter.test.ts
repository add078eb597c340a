import { describe, expect, it } from 'vitest'
import { systemCallFilter } from './system-call-filter.ts'

/** As `<asm/unistd.h>` and `<linux/audit.h>` have them. */
const machines = {
  x64: {
    architecture: 0xc000003e,
    refused: { acct: 163, add_key: 248, bpf: 321, delete_module: 176, finit_module: 313, init_module: 175 },
    more: { kexec_file_load: 320, kexec_load: 246, mount: 165, reboot: 169, setns: 308, unshare: 272 },
    unknown: { clone3: 435, openat2: 437 },
    read: 0,
    clone: 56,
    processes: { process_vm_readv: 310, process_vm_writev: 311, pidfd_open: 434 },
    ptrace: 101,
    ioctl: 16,
    fchmod: 91,
    openat: 257,
    socket: 41,
  },
  arm64: {
    architecture: 0xc00000b7,
    refused: { acct: 89, add_key: 217, bpf: 280, delete_module: 106, finit_module: 273, init_module: 105 },
    more: { kexec_file_load: 294, kexec_load: 104, mount: 40, reboot: 142, setns: 268, unshare: 97 },
    unknown: { clone3: 435, openat2: 437 },
    read: 63,
    clone: 220,
    processes: { process_vm_readv: 270, process_vm_writev: 271, pidfd_open: 434 },
    ptrace: 117,
    ioctl: 29,
    fchmod: 52,
    openat: 56,
    socket: 198,
  },
}

const allowed = 'allowed'
const [notPermitted, noSuchCall, noSuchProtocol, noSuchFamily] = [1, 38, 93, 97]

/** Runs a filter as the kernel does (bpf(4)). Returns the number of the error, if there is one. */
function verdict(filter: Uint8Array, data: Readonly<Record<number, number>>): number | string {
  const view = new DataView(filter.buffer)
  let [at, loaded] = [0, 0]
  for (;;) {
    const [code, value] = [view.getUint16(8 * at, true), view.getUint32(8 * at + 4, true)]
    if (code === 0x06) return value === 0x7fff0000 ? allowed : value & 0xffff
    if (code === 0x20) loaded = data[value] ?? 0
    else {
      const holds = { 21: loaded === value, 53: loaded >= value, 69: (loaded & value) !== 0 }[code]
      if (holds === undefined) expect.fail(`an unknown instruction: ${code}`)
      at += view.getUint8(8 * at + (holds ? 2 : 3))
    }
    at++
  }
}

describe.each(['x64', 'arm64'] as const)('the filter of system calls for %s', (name) => {
  const machine = machines[name]
  const filter = systemCallFilter(name)
  const judge = (call: number, args: readonly number[] = [], architecture = machine.architecture) =>
    verdict(filter ?? expect.fail('there is one'), {
      ...{ 0: call, 4: architecture },
      ...Object.fromEntries(args.map((value, index) => [16 + 8 * index, value])),
    })

  it('refuses calls with any arguments', () => {
    const all = [...Object.values(machine.refused), ...Object.values(machine.more)]
    expect(all.map((call) => judge(call))).toEqual(all.map(() => notPermitted))
    expect(Object.values(machine.unknown).map((call) => judge(call))).toEqual([noSuchCall, noSuchCall])
    expect(judge(machine.read)).toBe(allowed)
  })

  it('refuses calls of another processor', () => {
    expect(judge(machine.read, [], 0x40000003)).toBe(noSuchCall)
    expect(judge(0x40000000)).toBe(name === 'x64' ? noSuchCall : allowed)
  })

  it('judges by arguments', ({ everyRow }) =>
    everyRow<[what: string, call: number, args: number[], answer: number | string]>(
      [
        ['a thread', machine.clone, [0x3d0f00], allowed],
        ['a user namespace', machine.clone, [0x10000000], notPermitted],
        ...Object.entries(machine.processes).flatMap(
          ([what, call]): [string, number, number[], number | string][] => [
            [`${what} of process 1`, call, [1], notPermitted],
            [`${what} of another process`, call, [2], allowed],
          ],
        ),
        ['tracing process 1', machine.ptrace, [16, 1], notPermitted],
        ['tracing another process', machine.ptrace, [16, 2], allowed],
        ['input for a terminal', machine.ioctl, [0, 0x5412], notPermitted],
        ['input for a console', machine.ioctl, [0, 0x541c], notPermitted],
        ['the size of a terminal', machine.ioctl, [0, 0x5413], allowed],
        ['set-user-id', machine.fchmod, [3, 0o4755], notPermitted],
        ['set-group-id', machine.fchmod, [3, 0o2755], notPermitted],
        ['a usual mode', machine.fchmod, [3, 0o755], allowed],
        ['a file with set-user-id', machine.openat, [0, 0, 0o100, 0o4755], notPermitted],
        ['a file that is only opened', machine.openat, [0, 0, 0, 0o4755], allowed],
        ['a socket of this machine', machine.socket, [1, 1, 0], allowed],
        ['a socket of the Internet', machine.socket, [10, 1, 0], allowed],
        ['a list of addresses', machine.socket, [16, 3, 0], allowed],
        ['another protocol of netlink', machine.socket, [16, 3, 9], noSuchProtocol],
        ['a socket to the hypervisor', machine.socket, [40, 1, 0], noSuchFamily],
        ['a socket of the kernel’s ciphers', machine.socket, [38, 5, 0], noSuchFamily],
      ],
      (_, call, args, answer) => expect(judge(call, args)).toBe(answer),
    ))
})

it('there is no filter for an unknown processor', () => {
  expect(systemCallFilter('mips')).toBeUndefined()
})
