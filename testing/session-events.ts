import { mkdirSync, rmSync } from 'node:fs'
import type { describe as Describe, expect as Expect, it as It, vi as Vi } from 'vitest'
import { processesLeft } from './processes.ts'
import { uniqueSeconds } from './unique-seconds.ts'

interface Result {
  readonly blocks: readonly {
    readonly status: string
    readonly stdout: string
    readonly notices: readonly { readonly code: string }[]
    readonly results: readonly { readonly data: Readonly<Record<string, unknown>> }[]
  }[]
}

/** An executor with `stateful: true`. */
interface SessionExecutor {
  readonly workDir: string | undefined
  execute(
    blocks: readonly { readonly language: string; readonly code: string }[],
    options?: { timeoutMs?: number },
  ): PromiseLike<Result>
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A kind of sandbox, and what differs between sandboxes for a session. */
export interface SessionPlace {
  create(options: { readonly killGraceMs: number }): SessionExecutor
  /** Whether blocks of other languages see the processes of the session, and can end them. */
  readonly sharesProcesses: boolean
  /** Whether the sandbox ends a program that takes too much memory. */
  readonly limitsMemory: boolean
  /** What happens to the variables when the working directory is recreated on this machine. */
  readonly recreatedDirectory: 'state-kept' | 'state-lost' | undefined
  /** Whether the umask of this process is that of its programs. */
  readonly inheritsUmask: boolean
  /** Whether `kill -9 -1` reaches processes beside the sandbox. */
  readonly isolates: boolean
  /** Whether SIGKILL from within ends the keeper, which process 1 of a process table ignores. */
  readonly keeperIsProcess1: boolean
}

interface Vitest {
  readonly describe: typeof Describe
  readonly it: typeof It
  readonly expect: typeof Expect
  readonly vi: typeof Vi
}

type Fate = 'kept' | 'state-kept' | 'state-restored' | 'state-lost'

/** What can end a session, and must not in silence: each row runs something, and says what becomes of the variables. */
export function describeSessionEvents(
  { describe, it, expect, vi }: Vitest,
  name: string,
  place: SessionPlace,
): void {
  describe(`a session in ${name}`, () => {
    async function withSession(work: (session: Session) => Promise<void>): Promise<void> {
      const executor = place.create({ killGraceMs: 500 })
      try {
        const session = new Session(executor)
        await session.python('x = 41')
        await work(session)
      } finally {
        await executor.stop()
      }
    }

    /** The notices about variables of the event and of the next cell, and whether the variables are there. */
    async function expectFate(session: Session, event: Block | undefined, fate: Fate): Promise<void> {
      const next = await session.python('print("x" in globals())')
      const told = [...(event?.notices ?? []), ...next.notices].map(({ code }) => code)
      expect(told.filter((code) => code.startsWith('state-'))).toEqual(fate === 'kept' ? [] : [fate])
      expect(next.stdout).toBe(fate === 'state-lost' ? 'False\n' : 'True\n')
      expect((await session.python('print("still running")')).stdout).toBe('still running\n')
    }

    it('1. keeps variables and background processes at the end of another program', async () => {
      await withSession(async (session) => {
        await session.python('import subprocess\nserver = subprocess.Popen(["sleep", "600"])')
        const ended = await session.shell('(sleep 600 &); true')
        expect((await session.python('print(server.poll())')).stdout).toBe('None\n')
        await expectFate(session, ended, 'kept')
      })
    })

    it('2. keeps variables when packages change, and imports the new package', async () => {
      await withSession(async (session) => {
        await session.python('import os, sys\nos.mkdir("packages")\nsys.path.append("packages")')
        const installed = await session.shell('echo "value = 7" > packages/new_package.py')
        expect((await session.python('import new_package\nprint(new_package.value)')).stdout).toBe('7\n')
        await expectFate(session, installed, 'kept')
      })
    })

    it('3. keeps variables when a file is left in /tmp', async () => {
      await withSession(async (session) => {
        const left = await session.python(
          'import tempfile\nfile = tempfile.NamedTemporaryFile(dir="/tmp")\nfile.write(b"left")',
        )
        await session.shell('true')
        await expectFate(session, left, 'kept')
      })
    })

    it('4. keeps variables for longer than the idle time of a resident Python', async () => {
      await withSession(async (session) => {
        await session.shell('true')
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
        try {
          vi.advanceTimersByTime(400_000)
        } finally {
          vi.useRealTimers()
        }
        await expectFate(session, undefined, 'kept')
      })
    })

    it.skipIf(!place.limitsMemory)('5. restores variables after a cell that runs out of memory', async () => {
      await withSession(async (session) => {
        const ended = await session.python('data = b"x" * 2**33')
        expect(['out-of-memory', 'error']).toContain(ended.status)
        await expectFate(session, ended, ended.status === 'error' ? 'kept' : 'state-restored')
        const touched = await session.python('data = []\nwhile True:\n    data.append(b"x" * 2**24)')
        expect(touched.status).toBe('out-of-memory')
        await expectFate(session, touched, 'state-restored')
      })
    })

    it.skipIf(place.recreatedDirectory === undefined)(
      '6. says what becomes of variables when the working directory is recreated',
      async () => {
        await withSession(async (session) => {
          rmSync(session.directory, { recursive: true })
          mkdirSync(session.directory)
          await expectFate(session, undefined, place.recreatedDirectory as Fate)
          expect(
            (await session.python('open("made", "w").close()\nimport os\nprint(os.listdir())')).stdout,
          ).toBe("['made']\n")
        })
      },
    )

    it('7. says what becomes of variables when a program of another language ends its resident Python', async () => {
      await withSession(async (session) => {
        const ended = await session.shell('kill -9 $PPID')
        // A container is replaced, because processes of the block may still run in it.
        const isReplaced = place.isolates && place.sharesProcesses
        await expectFate(session, ended, isReplaced ? 'state-lost' : 'kept')
      })
    })

    it('9. keeps variables when the umask of this process changes, and says so', async () => {
      await withSession(async (session) => {
        const before = process.umask(0o027)
        try {
          await expectFate(session, undefined, place.inheritsUmask ? 'state-kept' : 'kept')
        } finally {
          process.umask(before)
        }
      })
    })

    it('11. keeps variables when a cell changes priority and limits of the keeper', async () => {
      await withSession(async (session) => {
        const changed = await session.python(
          'import os, resource\ntry:\n    os.setpriority(os.PRIO_PROCESS, os.getppid(), 5)\n    resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0))\nexcept OSError:\n    pass',
        )
        await expectFate(session, changed, 'kept')
      })
    })

    it('12. and 16. ends all processes with the keeper, and says that variables are lost', async () => {
      await withSession(async (session) => {
        const seconds = uniqueSeconds()
        await session.python(`import subprocess\nserver = subprocess.Popen(["sleep", "${seconds}"])`)
        const ended = await session.python(
          'import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(0.2)',
        )
        if (place.keeperIsProcess1) return expectFate(session, ended, 'kept')
        await expectFate(session, ended, 'state-lost')
        expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
      })
    })

    it('13. starts an empty session after a restart', async () => {
      await withSession(async (session) => {
        const seconds = uniqueSeconds()
        await session.python(`import subprocess\nserver = subprocess.Popen(["sleep", "${seconds}"])`)
        await session.restart()
        expect((await session.python('print("x" in globals())')).stdout).toBe('False\n')
        expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
      })
    })

    it('14. keeps variables when a result is larger than a frame', async () => {
      await withSession(async (session) => {
        const html = '<!-- x -->'.repeat(50_000)
        const shown = await session.python('from IPython.display import HTML\nHTML("<!-- x -->" * 50_000)')
        expect(shown.results.map(({ data }) => data['text/html'])).toEqual([html])
        await expectFate(session, shown, 'kept')
      })
    })

    it.skipIf(!place.isolates)(
      '15. says what becomes of variables at `kill -9 -1` by another program',
      async () => {
        await withSession(async (session) => {
          const ended = await session.shell('kill -9 -1')
          await expectFate(session, ended, place.sharesProcesses ? 'state-lost' : 'kept')
        })
      },
    )

    it('restores variables when the running copy is killed', async () => {
      await withSession(async (session) => {
        const seconds = uniqueSeconds()
        const code = `import os, signal, subprocess\nserver = subprocess.Popen(["sleep", "${seconds}"])\nos.kill(os.getpid(), signal.SIGKILL)`
        const ended = await session.python(code)
        await expectFate(session, ended, 'state-restored')
        expect(await processesLeft(`sleep ${seconds}`)).toEqual([])
      })
    })
  })
}

type Block = Result['blocks'][number]

class Session {
  readonly #executor: SessionExecutor

  constructor(executor: SessionExecutor) {
    this.#executor = executor
  }

  get directory(): string {
    return this.#executor.workDir ?? ''
  }

  python(code: string): Promise<Block> {
    return this.#run('python', code)
  }

  shell(code: string): Promise<Block> {
    return this.#run('sh', code)
  }

  restart(): Promise<void> {
    return this.#executor.restart()
  }

  async #run(language: string, code: string): Promise<Block> {
    const { blocks } = await this.#executor.execute([{ language, code }], { timeoutMs: 60_000 })
    return blocks[0] as Block
  }
}
