import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { keeperOf } from '../processes.ts'
import { uniqueSeconds } from '../unique-seconds.ts'
import { markCell } from './session-place.ts'
import { type SessionRows, startSleep } from './session-row.ts'

/** Events that programs cause. */
export const programEvents = {
  'the end of another program': ({ inSession, expectFate, expect }) =>
    inSession(async (session) => {
      await session.python(startSleep(600))
      const ended = await session.shell('(sleep 600 &); true')
      expect((await session.python('print(server.poll())')).stdout).toBe('None\n')
      await expectFate(session, ended)
    }),

  'changed packages': ({ inSession, expectFate, expect }) =>
    inSession(async (session) => {
      await session.python('import os, sys\nos.mkdir("packages")\nsys.path.append("packages")')
      const installed = await session.shell('echo "value = 7" > packages/new_package.py')
      expect((await session.python('import new_package\nprint(new_package.value)')).stdout).toBe('7\n')
      await expectFate(session, installed)
    }),

  'a file left in /tmp': ({ inSession, expectFate }) =>
    inSession(async (session) => {
      const code = 'import tempfile\nfile = tempfile.NamedTemporaryFile(dir="/tmp")\nfile.write(b"left")'
      const left = await session.python(code)
      await session.shell('true')
      await expectFate(session, left)
    }),

  'late output of a thread': ({ inSession, expectFate, expect }) =>
    inSession(async (session) => {
      for (const [cell, bytes, kept] of [
        ['2', 10, 10],
        ['6', 70_000, 65_536],
      ] as const) {
        await session.python(lateThread(bytes))
        // The thread has written before the shell ends.
        await session.shell('touch go; while [ ! -e done ]; do :; done; rm go done')
        const next = await session.python('print("own")')
        expect(next).toMatchObject({ stdout: 'own\n', notices: [{ code: 'late-output' }] })
        // A mark shows that it was shortened.
        const output = 'late'.repeat(bytes).slice(0, kept) + (bytes > kept ? '…' : '')
        expect(next.notices[0]?.data).toEqual({ cell, bytes: `${bytes}`, output })
        expect(next.output).not.toContain('late')
        await expectFate(session, next)
      }
    }),

  'an out-of-memory kill': ({ inSession, expectFate, expect }) =>
    inSession(async (session) => {
      // 8 GiB at once are refused or end Python. Memory that a program asks for little by little ends it.
      const refused = await session.python('data = b"x" * 2**33')
      expect(['out-of-memory', 'error']).toContain(refused.status)
      await session.python('x = 42')
      const touched = await session.python('data = []\nwhile True:\n    data.append(b"x" * 2**24)')
      expect(touched.status).toBe('out-of-memory')
      await expectFate(session, touched)
    }),

  'little memory, where the kernel would end Python with its checkpoints': ({
    inSession,
    expectFate,
    vi,
    expect,
  }) =>
    inSession(async (session) => {
      const mark = `${uniqueSeconds()}`
      await session.python(markCell(mark))
      await session.executor.session?.checkpoint('first')
      // So far above the value of a checkpoint that no checkpoint can be the first to be killed.
      writeFileSync(`/proc/${keeperOf(mark)}/oom_score_adj`, '500')
      const large = await session.python('data = b"x" * (120 * 2**20)')
      await vi.waitFor(
        async () => {
          const { notices } = await session.python('1')
          expect(notices).toMatchObject([
            {
              code: 'checkpoint-dropped',
              data: { reason: 'the memory of the sandbox is nearly used up' },
            },
          ])
        },
        { timeout: 60_000, interval: 200 },
      )
      await expectFate(session, large)
    }),

  'a recreated working directory': ({ inSession, expectFate, expect }) =>
    inSession(async (session) => {
      const directory = session.executor.workDir ?? ''
      rmSync(directory, { recursive: true })
      mkdirSync(directory)
      await expectFate(session)
      const made = await session.python('open("made", "w").close()\nimport os\nprint(os.listdir())')
      expect(made.stdout).toBe("['made']\n")
    }),

  'a killed resident Python': ({ inSession, expectFate }) =>
    inSession(async (session) => expectFate(session, await session.shell('kill -9 $PPID'))),

  'changed priority and limits of its keeper': ({ inSession, expectFate }) =>
    inSession(async (session) => {
      const code =
        'import os, resource\ntry:\n    os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)\n    resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0))\nexcept OSError:\n    pass'
      await expectFate(session, await session.python(code))
    }),

  'a result larger than a frame': ({ inSession, expectFate, expect }) =>
    inSession(async (session) => {
      const html = '<!-- x -->'.repeat(50_000)
      const shown = await session.python('from IPython.display import HTML\nHTML("<!-- x -->" * 50_000)')
      expect(shown.results.map(({ data }) => data['text/html'])).toEqual([html])
      await expectFate(session, shown)
    }),

  'kill -9 -1 by another program': ({ inSession, expectFate }) =>
    inSession(async (session) => expectFate(session, await session.shell('kill -9 -1'))),
} satisfies Partial<SessionRows>

const lateThread = (bytes: number) => `
import os, threading
def write():
    while not os.path.exists("go"): pass
    os.write(1, (b"late" * ${bytes})[:${bytes}])
    open("done", "w").close()
threading.Thread(target=write).start()
`
