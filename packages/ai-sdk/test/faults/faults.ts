import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { processesLeft } from '@fenced/testing'
import type { SandboxSession } from '../../src/index.ts'

/** Something hostile or unlucky. `check` throws where it does harm, or is not ended. */
export interface Fault {
  readonly what: string
  readonly check: (session: SandboxSession, parts: FaultParts) => Promise<void>
}

interface FaultParts {
  /** A number on the command line of everything that must not be left. */
  readonly seconds: number
}

/** Runs a command, and aborts it after a second. */
async function aborted(session: SandboxSession, command: string): Promise<void> {
  const abortSignal = AbortSignal.timeout(1_000)
  await assert.rejects(async () => session.run({ command, abortSignal }), { name: 'TimeoutError' })
}

const gone = async (seconds: number) => assert.deepEqual(await processesLeft(`${seconds}`), [])

/** The name is of the host's environment. */
const secret = 'FENCED_FAULT_SECRET'

export const faults: readonly Fault[] = [
  {
    what: 'sleeps for hours, and is aborted',
    async check(session, { seconds }) {
      await aborted(session, `sleep ${seconds}`)
      await gone(seconds)
    },
  },
  {
    what: 'leaves a child that holds its output',
    async check(session, { seconds }) {
      assert.equal((await session.run({ command: `sleep ${seconds} & echo done` })).stdout, 'done\n')
      await gone(seconds)
    },
  },
  {
    what: 'ignores SIGTERM, and is aborted',
    async check(session, { seconds }) {
      await aborted(session, `trap '' TERM; sleep ${seconds}; sleep ${seconds}`)
      await gone(seconds)
    },
  },
  {
    what: 'starts a daemon, and is aborted',
    async check(session, { seconds }) {
      await aborted(session, `setsid sleep ${seconds} & sleep ${seconds}`)
      await gone(seconds)
    },
  },
  {
    what: 'prints “early”, and is aborted',
    async check(session, { seconds }) {
      const controller = new AbortController()
      const options = { command: `echo early; sleep ${seconds}`, abortSignal: controller.signal }
      const { stdout } = await session.spawn(options)
      const { value } = await stdout.getReader().read()
      assert.equal(Buffer.from(value ?? []).toString(), 'early\n')
      controller.abort()
      await gone(seconds)
    },
  },
  {
    what: 'prints bytes that are not UTF-8',
    async check(session) {
      const { stdout } = await session.run({ command: String.raw`printf 'a\377\376b'` })
      assert.equal(stdout, 'a\uFFFD\uFFFDb')
    },
  },
  {
    what: 'reads its input',
    async check(session) {
      assert.equal((await session.run({ command: 'read -r line || echo end' })).stdout, 'end\n')
    },
  },
  {
    what: 'prints a secret of this program’s environment',
    async check(session) {
      process.env[secret] = 'hunter2'
      assert.equal((await session.run({ command: `echo "[$${secret}]"` })).stdout, '[]\n')
    },
  },
  {
    what: 'writes a file beside its directory',
    async check(session, { seconds }) {
      // Above the directory of this user's temporary directories.
      await leavesNoFile(session, { seconds, path: '../../' })
    },
  },
  {
    what: 'writes a file through a link that leads out',
    async check(session, { seconds }) {
      await session.run({ command: `ln -sfn ${tmpdir()} rootlink` })
      await leavesNoFile(session, { seconds, path: 'rootlink/' })
    },
  },
  {
    what: 'reads a file of the user',
    async check(session, { seconds }) {
      const file = join(homedir(), `.fenced-fault-${seconds}`)
      await writeFile(file, 'private')
      try {
        assert.equal(await session.readTextFile({ path: file }).then(undefined, () => null), null)
        assert.doesNotMatch((await session.run({ command: `cat ${file}` })).stdout, /private/)
      } finally {
        await rm(file)
      }
    },
  },
  {
    what: 'reads the environment of this program',
    async check(session) {
      const { exitCode } = await session.run({ command: `grep -q . /proc/${process.pid}/environ` })
      assert.notEqual(exitCode, 0)
    },
  },
  {
    what: 'connects to a network',
    async check(session) {
      // An address that is reserved for documentation (RFC 5737): it leads nowhere even where there is a network.
      const program = "import socket; socket.create_connection(('192.0.2.1', 80), 3)"
      const { stderr } = await session.run({ command: `python3 -c "${program}"` })
      // Where there is no Python, nothing connects.
      assert.match(stderr, /Network is unreachable|python3: command not/)
    },
  },
  {
    what: 'starts 3,000 processes',
    async check(session, { seconds }) {
      const command = `i=0; while [ $i -lt 3000 ]; do sleep ${seconds} & i=$((i + 1)); done; echo all`
      const { stdout } = await session.run({ command })
      await gone(seconds)
      assert.doesNotMatch(stdout, /all/)
    },
  },
  {
    what: 'fills 3 GB of memory',
    async check(session) {
      const { exitCode } = await session.run({ command: `python3 -c "len(b'x' * 3_000_000_000)"` })
      assert.notEqual(exitCode, 0)
    },
  },
]

/** A file that the session writes must not be on this machine, outside of the session's own directory. */
async function leavesNoFile(
  session: SandboxSession,
  { seconds, path }: { readonly seconds: number; readonly path: string },
): Promise<void> {
  const name = `fenced-fault-${seconds}`
  const file = join(tmpdir(), name)
  try {
    await Promise.resolve(session.writeTextFile({ path: `${path}${name}`, content: 'evil' })).catch(() => {})
    assert.equal(existsSync(file), false)
  } finally {
    await rm(file, { force: true })
  }
}
