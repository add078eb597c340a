import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import { DockerSandbox, type DockerSandboxOptions } from '@fenced/sandbox-docker'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { docker, podman, podmanHost } from './requirements.ts'

const image = 'fenced-test/python'

const places = [
  { where: 'with its directory mounted', missing: docker.missing, options: {} },
  { where: 'with its directory copied', missing: docker.missing, options: { workDirMode: 'copy' } },
  { where: 'of Podman', missing: podman.missing, options: { docker: podmanHost } },
] as const satisfies readonly { where: string; missing: boolean; options: DockerSandboxOptions }[]

/** Runs a line of a shell, and returns what it writes. */
async function sh(sandbox: ExecutorSandbox, line: string): Promise<string> {
  const chunks: Buffer[] = []
  const output = (_: string, chunk: Uint8Array) => void chunks.push(Buffer.from(chunk))
  const process = await sandbox.spawn(['/bin/sh', '-c', line], { output })
  await process.ended
  return Buffer.concat(chunks).toString().trim()
}

/** Work that leaves something everywhere, and counts how often it was done. */
function newWork() {
  const work = {
    identity: randomUUID(),
    times: 0,
    prepare: async (sandbox: ExecutorSandbox) => {
      work.times++
      await sh(
        sandbox,
        'mkdir -p "$HOME/.local/bin" folder .hidden; echo "#!/bin/sh\necho tool" > "$HOME/.local/bin/tool"',
      )
      await sh(
        sandbox,
        'chmod +x "$HOME/.local/bin/tool"; echo "$SAID" > folder/said; ln -s folder/said link; echo t > /tmp/kept',
      )
    },
  }
  return work
}

const look = 'tool; cat folder/said link /tmp/kept; ls -d .hidden; touch /root-file 2>&1 | grep -c Read-only'
const seen = 'tool\nhello\nhello\nt\n.hidden\n1'

afterAll(() => {
  // What earlier runs have left. The newest may be in use by a run of the same tests elsewhere.
  const filters = ['--filter', 'label=fenced.image=prepared', '--filter', 'until=1h']
  for (const global of [[], ['--host', podmanHost]])
    spawnSync('docker', [...global, 'image', 'prune', '--all', '--force', ...filters])
})

describe.each(places)('a container $where', rowTags({ nightly: ['of Podman'] }), ({ missing, options }) => {
  it.skipIf(missing)(
    'is made from what was prepared once for all of its identity',
    { timeout: 60_000 },
    async () => {
      const work = newWork()
      const env = { SAID: 'hello' }
      const sandboxes = [1, 2].map(() => new DockerSandbox({ ...options, image, env }))
      await Promise.all(sandboxes.map((sandbox) => sandbox.start({ preparation: work })))
      for (const sandbox of sandboxes) {
        expect(await sh(sandbox, look)).toBe(seen)
        await sh(sandbox, 'echo changed > folder/said; rm /tmp/kept "$HOME/.local/bin/tool"')
      }
      await Promise.all(sandboxes.map((sandbox) => sandbox.stop()))
      await using later = new DockerSandbox({ ...options, image, env })
      await later.start({ preparation: work })
      expect(await sh(later, look)).toBe(seen)
      expect(work.times).toBe(1)
    },
  )
})

describe.skipIf(docker.missing)('a preparation', () => {
  it('is done by one process, and by the next when that is killed', { timeout: 120_000 }, async () => {
    const identity = randomUUID()
    const run = async (given: object = {}) => {
      const program = join(import.meta.dirname, 'programs/preparing-host.ts')
      const args = ['--conditions=@fenced/source', program, JSON.stringify({ image, identity, ...given })]
      return promisify(execFile)(process.execPath, args).then(
        ({ stdout }) => stdout.trim(),
        ({ signal }) => signal,
      )
    }
    expect(await run({ dies: true })).toBe('SIGKILL')
    const [one, two] = await Promise.all([run(), run()])
    expect(one).toMatch(/^\d+$/)
    expect(two).toBe(one)
  })

  it('that fails leaves no image and no container, and is done again', async () => {
    const work = newWork()
    const fails = { ...work, prepare: async () => Promise.reject(new Error('not today')) }
    await using sandbox = new DockerSandbox({ image })
    await expect(sandbox.start({ preparation: fails })).rejects.toThrow('not today')
    await sandbox.start({ preparation: work })
    expect(work.times).toBe(1)
  })

  it('has none of the variables of its sandbox in the image', async () => {
    const work = newWork()
    await using sandbox = new DockerSandbox({ image, env: { SAID: 'do-not-keep' } })
    await sandbox.start({ preparation: { ...work, prepare: async () => {} } })
    const list = ['images', '--format', '{{.Repository}}:{{.Tag}}', '--filter', 'label=fenced.image=prepared']
    const names = spawnSync('docker', list, { encoding: 'utf8' }).stdout.split('\n').filter(Boolean)
    expect(names.length).toBeGreaterThan(0)
    const { stdout } = spawnSync('docker', ['inspect', ...names], { encoding: 'utf8' })
    expect(stdout).toContain('"fenced.image": "prepared"')
    expect(stdout).not.toContain('do-not-keep')
  })

  it('leaves what stands in the directory already as it is', async () => {
    const directory = await newDirectory()
    const work = newWork()
    await writeFile(join(directory, 'link'), 'mine')
    const user = `${process.getuid?.()}:${process.getgid?.()}`
    await using sandbox = new DockerSandbox({ image, user, workDir: directory, env: { SAID: 'hello' } })
    await sandbox.start({ preparation: work })
    expect(await readFile(join(directory, 'link'), 'utf8')).toBe('mine')
    expect(await readFile(join(directory, 'folder/said'), 'utf8')).toBe('hello\n')
  })

  it('does not have to be known to whom resumes a container of it', async () => {
    const options = { image, workDir: await newDirectory() }
    const detached = { expiresInMs: 120_000 }
    const first = new DockerSandbox(options)
    await first.start({ preparation: newWork(), detached })
    await using second = new DockerSandbox(options)
    await second.start({ resume: first.id, detached })
    expect(await sh(second, 'tool')).toBe('tool')
    await using other = new DockerSandbox({ ...options, pids: 64 })
    await expect(other.start({ resume: first.id, detached })).rejects.toMatchObject({ code: 'NOT_RESUMABLE' })
  })
})

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-prepared-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}
