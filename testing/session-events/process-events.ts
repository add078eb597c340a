import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { processesLeft, sessionProcesses, stillRunning } from '../processes.ts'
import { uniqueSeconds } from '../unique-seconds.ts'
import { markCell } from './session-place.ts'
import { type SessionRows, startSleep } from './session-row.ts'

/** Ends of processes of a session. */
export const processEvents = {
  'a killed keeper': ({ inSession, expectFate, expect, place }) =>
    inSession(async (session) => {
      const mark = uniqueSeconds()
      await session.python(markCell(`${mark}`))
      await session.python(startSleep(mark))
      // The keeper, the running copy, its checkpoint, and the process of a cell.
      const processes = await processesOf(`${mark}`, 4)
      const ended = await session.python(signalKeeper('SIGKILL'))
      await expectFate(session, ended)
      const isKept = place.outcomes['a killed keeper'] === 'kept'
      expect(await leftOf(isKept ? [] : processes)).toEqual([])
    }),

  'a stopped keeper': ({ inSession, expectFate }) =>
    inSession(async (session) => expectFate(session, await session.python(signalKeeper('SIGSTOP'), 1_000))),

  'a killed running copy': ({ inSession, expectFate, expect }) =>
    inSession(async (session) => {
      const seconds = uniqueSeconds()
      const code = `${startSleep(seconds)}\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)`
      await expectFate(session, await session.python(code))
      expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
    }),

  'killed checkpoints': ({ inSession, expectFate, expect }) =>
    inSession(async (session) => {
      const mark = `${uniqueSeconds()}`
      await session.python(markCell(mark))
      const killed = await session.python(killsCheckpoints(mark))
      expect(killed.stdout).toMatch(/^checkpoints: [1-9]/)
      await expectFate(session, killed)
      // The blocks that `expectFate` runs have checkpoints again.
      await expect(session.executor.session?.undo(3)).rejects.toMatchObject({ code: 'NO_CHECKPOINT' })
      expect((await session.python('print(x)')).stdout).toBe('41\n')
    }),

  'a killed network helper': ({ inSession, expectFate, expect, place }) =>
    inSession(async (session) => {
      const ended = await session.python(endsHelper)
      expect(ended.stdout).toBe('helpers: 1\n')
      await expectFate(session, ended)
    }, place.createListed?.()),

  'a killed host': async ({ expect, place }) => {
    const mark = `${uniqueSeconds()}`
    const [program = '', ...args] = place.host
    const command = ['--conditions=@fenced/source', program, mark, ...args]
    const host = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(host.stdout, 'data')
      // The keeper, the running copy, two checkpoints, and the process of a cell.
      const processes = await processesOf(mark, 5)
      host.kill('SIGKILL')
      expect(await leftOf(processes)).toEqual([])
    } finally {
      host.kill('SIGKILL')
    }
  },
} satisfies Partial<SessionRows>

/** Other processes of the machine may end while they are looked at. */
const readsProcesses = `
import os, signal
def processes(file, wanted):
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/{file}", "rb") as opened:
                if wanted in opened.read(): yield int(name)
        except OSError:
            pass
`

/** Only the helper of a network is started with `-I -S`. */
const endsHelper = `${readsProcesses}
helpers = list(processes("cmdline", b"-I\\0-S"))
def runs(process):
    try:
        with open(f"/proc/{process}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
for helper in helpers:
    try:
        os.kill(helper, signal.SIGKILL)
        while runs(helper): pass
    except PermissionError:
        pass
print("helpers:", len(helpers))
`

const signalKeeper = (signal: string) =>
  `import os, signal, time\nos.kill(os.getppid(), signal.${signal})\ntime.sleep(0.2)`

const killsCheckpoints = (mark: string) => `${readsProcesses}
found = list(processes("comm", b"${mark}"))
found.remove(os.getpid())
for pid in found:
    os.kill(pid, signal.SIGKILL)
print("checkpoints:", len(found))
`

/** The processes of a session, once there are `count`: a checkpoint is made after the result of its cell. */
async function processesOf(mark: string, count: number): Promise<ReturnType<typeof sessionProcesses>> {
  for (;;) {
    const processes = sessionProcesses(mark)
    if (processes.length >= count) return processes
    await delay(20)
  }
}

/** The commands of processes of a session that do not end. */
async function leftOf(processes: ReturnType<typeof sessionProcesses>): Promise<string[]> {
  return (await stillRunning(processes)).map(({ command }) => command.slice(0, 60))
}
