import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodeExecutor } from '@fenced/core'
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { toSandboxSession } from '../../src/index.ts'
import { docker, images } from '../requirements.ts'

export { toSandboxSession }

export type Session = ReturnType<typeof toSandboxSession>

/** What a test may ask of the executor that it gets. */
interface SubjectOptions {
  readonly workDir?: string
  readonly allowSharedWorkDir?: boolean
  readonly env?: Record<string, string>
  readonly timeoutMs?: number
  readonly maxOutputBytes?: number
  readonly onOutputLimit?: 'kill'
  readonly redact?: string[]
}

/** A kind of executor on which a session is tested. */
export interface Subject {
  readonly name: string
  readonly missing: boolean
  readonly create: (options?: SubjectOptions) => CodeExecutor
}

export const subjects: readonly Subject[] = [
  { name: 'local', missing: false, create: (options) => new LocalCommandLineCodeExecutor(options) },
  {
    name: 'docker, mounted directory',
    missing: docker.missing,
    create: (options) =>
      new DockerCommandLineCodeExecutor({ ...options, image: images.python, workDirMode: 'bind' }),
  },
  {
    name: 'docker, copied directory, busybox, another user',
    missing: docker.missing,
    create: (options) =>
      new DockerCommandLineCodeExecutor({
        ...options,
        image: images.busybox,
        workDirMode: 'copy',
        user: '4321:4321',
      }),
  },
]

export const subjectRows = rowTags({ nightly: ['docker, '] })

/** What a test in {@link describeEachExecutor} works with. */
export interface SandboxUnderTest {
  readonly subject: Subject
  readonly executor: CodeExecutor
  readonly session: Session
  /** A directory there, outside of the working directory. */
  readonly outside: string
}

/** Tests over one session for each kind of executor, all at once. In the end nothing of the session's own is left in the directory. */
export function describeEachExecutor(tests: (get: () => SandboxUnderTest) => void): void {
  describe.each(subjects)('$name', { concurrent: true, ...subjectRows }, (subject) => {
    describe.skipIf(subject.missing)('a session', { concurrent: false }, () => {
      let test: SandboxUnderTest
      beforeAll(async () => {
        const executor = subject.create({ workDir: await mkdtemp(join(tmpdir(), 'fenced-session-')) })
        const outside = `/tmp/fenced-session-outside-${process.pid}-${Math.random().toString(36).slice(2)}`
        test = { subject, executor, session: toSandboxSession(executor), outside }
      })
      afterAll(async () => {
        const { executor, session, outside } = test
        await session.run({ command: `rm -rf ${outside}` })
        const inside = await session.listDirectory({ path: '.' })
        const own = (name: string) => name.startsWith('.fenced-')
        expect(inside?.map(({ name }) => name).filter(own)).toEqual([])
        await executor.stop()
        const workDir = executor.workDir ?? ''
        expect((await readdir(workDir)).filter(own)).toEqual([])
        await rm(workDir, { recursive: true })
      })
      tests(() => test)
    })
  })
}

export function bytesStream(...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks)
}
