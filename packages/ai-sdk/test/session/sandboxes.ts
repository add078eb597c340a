import type { CodeExecutor } from '@fenced/core'
import type { Sandbox } from '@fenced/core/sandbox'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { LocalSandbox } from '@fenced/sandbox-local'
import { afterAll, beforeAll, describe, expect, it, type TestOptions } from 'vitest'
import { type SandboxSession, toSandboxSession } from '../../src/index.ts'
import { bubblewrap, docker, images, inContainer, isolated } from '../requirements.ts'

/**
 * What a sentence needs. `outside`: files outside of the working directory, which the next command finds. `links`: files that are reached
 * through links. `input`: processes with standard input. `script`: commands that begin with a script of the session's own.
 */
type Need = 'outside' | 'links' | 'input' | 'script'

/** A kind of executor or sandbox on which a session is tested. */
interface Subject {
  readonly name: string
  readonly missing: boolean
  /** What it lacks; see {@link Need}. */
  readonly lacks: readonly Need[]
  readonly open: () => Promise<{ readonly session: SandboxSession; readonly stop: () => Promise<void> }>
}

const subjects: readonly Subject[] = [
  sandboxTarget('a local sandbox', false, () => new LocalSandbox()),
  {
    ...sandboxTarget('bubblewrap', bubblewrap.missing, () => new LocalSandbox(isolated())),
    lacks: ['outside'],
  },
  sandboxTarget('a container', docker.missing, () => inContainer(images.python)),
  sandboxTarget('a container with BusyBox only', docker.missing, () => inContainer(images.busybox)),
  executorTarget('an executor on this machine', () => new LocalCommandLineCodeExecutor()),
  {
    ...executorTarget(
      'an executor that asks',
      () => new LocalCommandLineCodeExecutor({ ask: () => 'allow' }),
    ),
    lacks: ['outside', 'links', 'input', 'script'],
  },
  {
    ...executorTarget(
      'a container of an executor that asks',
      () => new DockerCommandLineCodeExecutor({ image: images.busybox, ask: () => 'allow' }),
    ),
    missing: docker.missing,
    lacks: ['links', 'input', 'script'],
  },
]

/** What a test works with. */
interface SandboxUnderTest {
  readonly session: SandboxSession
  /** A directory there, outside of the working directory. */
  readonly outside: string
}

/** A sentence of a contract and its check, with a unique `name`. */
export type ContractRow = readonly [
  sentence: string,
  check: (test: SandboxUnderTest & { readonly name: string }) => Promise<void>,
  needs?: Need,
]

/** Checks every row on every kind that does not lack what the row needs. `levels` comes from `rowTags`. */
export function describeContract(levels: TestOptions, rows: readonly ContractRow[]): void {
  const named = rows.map(([sentence, check, needs], index) => ({
    sentence,
    check,
    needs,
    name: `row-${index}`,
  }))
  describe.each(subjects)('$name', { concurrent: true, ...levels }, (subject) => {
    const { missing, lacks, open } = subject
    describe.skipIf(missing)('as a session', { concurrent: false }, () => {
      let test: SandboxUnderTest
      let stop = async () => {}
      beforeAll(async () => {
        const opened = await open()
        stop = opened.stop
        const outside = `/tmp/fenced-session-outside-${process.pid}-${Math.random().toString(36).slice(2)}`
        test = { session: opened.session, outside }
      })
      afterAll(async () => {
        await test.session.run({ command: `rm -rf ${test.outside}` })
        const inside = await test.session.listDirectory({ path: '.' })
        expect(inside?.map(({ name }) => name).filter((name) => name.startsWith('.fenced-'))).toEqual([])
        await stop()
      })
      const fitting = named.filter(({ needs }) => needs === undefined || !lacks.includes(needs))
      it.for(fitting)('$sentence', ({ check, name }) => check({ ...test, name }))
    })
  })
}

export function bytesStream(...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks)
}

function sandboxTarget(name: string, missing: boolean, create: () => Sandbox): Subject {
  const open = async () => {
    const sandbox = create()
    await sandbox.start()
    return { session: toSandboxSession(sandbox), stop: () => sandbox.stop() }
  }
  return { name, missing, lacks: [], open }
}

function executorTarget(name: string, create: () => CodeExecutor): Subject {
  const open = async () => {
    const executor = create()
    return { session: toSandboxSession(executor), stop: () => executor.stop() }
  }
  return { name, missing: false, lacks: [], open }
}
