import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Sandbox } from '@fenced/core/sandbox'
import { DockerSandbox } from '@fenced/sandbox-docker'
import { LocalSandbox } from '@fenced/sandbox-local'
import { requirement } from '@fenced/testing'
import { bubblewrap, isolated } from '../requirements.ts'

/** Makes sandboxes with Node and bash. */
export interface Subject {
  readonly name: string
  readonly missing: boolean
  /** One that is free in its sandboxes. */
  readonly port: number
  readonly create: () => Sandbox
  /** Removes what it left on this machine. */
  readonly clean?: () => void
}

/** The Node of this machine, which the image of the tests lacks. */
const node = { source: process.execPath, target: '/usr/local/bin/node' }
export const containerOptions = { image: 'fenced-test/python', pull: 'never', volumes: [node] } as const
const inContainer = () => new DockerSandbox(containerOptions)
export const docker = requirement('docker', await containerProblem())

/** Where the tests of a file run. */
export async function makeProviders(): Promise<readonly Subject[]> {
  // Not the user's own: harnesses write there.
  const home = mkdtempSync(join(tmpdir(), 'fenced-harness-'))
  const env = { HOME: home, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  // What processes write elsewhere is their own in bubblewrap.
  const directory = mkdtempSync(join(tmpdir(), 'fenced-harness-'))
  return [
    {
      name: 'on this machine',
      missing: false,
      port: await freePort(),
      create: () => new LocalSandbox({ env }),
      clean: () => rmSync(home, { recursive: true }),
    },
    {
      name: 'in bubblewrap',
      missing: bubblewrap.missing,
      port: await freePort(),
      create: () =>
        new LocalSandbox({
          ...isolated(),
          network: 'open',
          ...{ workDir: directory, allowSharedWorkDir: true },
          env: { ...env, HOME: directory },
        }),
      clean: () => rmSync(directory, { recursive: true }),
    },
    { name: 'in a container without network', missing: docker.missing, port: 4_000, create: inContainer },
  ]
}

/** Another bubblewrap for each session, with a directory and a home of its own. */
export function isolatedSession(folder: string): Sandbox {
  const directory = mkdtempSync(join(folder, 'session-'))
  const env = { HOME: directory, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  return new LocalSandbox({ ...isolated(), network: 'open', workDir: directory, env })
}

/** Removes what earlier runs have left. The newest may be in use by a run of the same tests elsewhere. */
export function removeOldPreparedImages(): void {
  const filters = ['--filter', 'label=fenced.image=prepared', '--filter', 'until=1h']
  spawnSync('docker', ['image', 'prune', '--all', '--force', ...filters])
}

async function containerProblem(): Promise<string | undefined> {
  await using sandbox = inContainer()
  try {
    await sandbox.start()
    const process = await sandbox.spawn(['node', '--version'])
    const end = await process.ended
    return end.kind === 'exited' && end.exitCode === 0
      ? undefined
      : 'the image of the tests does not run this Node'
  } catch (error) {
    return `${error}`
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
