import { execFileSync } from 'node:child_process'
import { chmod, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { processesLeft, rowTags, temporaryEntries, uniqueSeconds } from '@fenced/testing'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { builders, buildkit, dockerBuildkit, dockerCli } from './builders.ts'
import {
  folderWith,
  type ImageEngine,
  imageEngine,
  provide,
  removeImage,
  removeWhenFinished,
  uniqueName,
} from './image-support.ts'
import { docker, podman, podmanHost, remote, remoteDocker, ssh, sshDocker } from './requirements.ts'

const remoteTls = {
  caFile: join(remote.certificates, 'ca.pem'),
  certFile: join(remote.certificates, 'cert.pem'),
  keyFile: join(remote.certificates, 'key.pem'),
}
const base = 'FROM fenced-test/busybox\n'

/** A hang, not a speed: Vitest's own is one second. */
const patience = { timeout: 120_000, interval: 50 }

const rows = rowTags({
  nightly: [
    { in: 'with BuildKit', except: ['gives an image'] },
    'needs no name',
    'leaves out',
    'larger than what fits',
  ],
})

describe.skipIf(docker.missing).each(builders)('a build with $name', rows, ({ variables }) => {
  let engine: ImageEngine

  beforeAll(async () => {
    engine = await imageEngine(variables)
  })

  it('gives an image with the name, the files and the values that were asked for', async () => {
    const context = await folderWith({
      'docker/Dockerfile': `${base.trim()} AS wanted\nARG WHO=nobody\nCOPY src /src/\nRUN echo "for $WHO" > /who; ls -l /src > /list; echo /src/name* >> /list\nENV BUILT=yes\nFROM scratch AS later\n`,
      'src/a.txt': 'a',
      'src/run.sh': 'true',
      'src/name with ünïcode.txt': 'x'.repeat(200_000),
    })
    await chmod(join(context, 'src/run.sh'), 0o755)
    await symlink('a.txt', join(context, 'src/link'))
    const image = `${uniqueName()}:1`
    removeWhenFinished(engine.docker, image)
    const build = { context, dockerfile: 'docker/Dockerfile', buildArgs: { WHO: 'anna' }, target: 'wanted' }
    const { image: built, notices } = await provide({ engine, options: { image, build } })
    expect(built).toMatchObject({ name: image, config: { env: { BUILT: 'yes' } } })
    expect(await read(engine, image, 'cat /who /list')).toMatch(
      /^for anna\n.*a\.txt\n.*link -> a\.txt\n.* 200000 .*-rwxr-xr-x.* run\.sh\n\/src\/name with ünïcode\.txt\n$/s,
    )
    const { Config, Id } = await engine.docker.getImage(image).inspect()
    expect(Config.Labels).toMatchObject({ 'fenced.image': 'build' })
    expect(built.id).toBe(Id)
    expect(notices.map(({ code }) => code)).toEqual(notices.map(() => 'build'))
    expect(notices.map(({ data }) => data?.step).join('\n')).toMatch(/FROM.*COPY src.*RUN echo/s)
  })

  it('needs no name, and does not repeat what it has done', async () => {
    const context = await folderWith({ Dockerfile: `${base}RUN date +%N > /when\n` })
    const first = await provide({ engine, options: { build: { context } } })
    removeWhenFinished(engine.docker, first.image.id)
    expect(first.image.name).toBe(`built from ${context}`)
    const second = await provide({ engine, options: { build: { context } } })
    expect(second.image.id).toBe(first.image.id)
  })

  it('leaves out what .dockerignore names, but not what the build needs', async () => {
    const context = await folderWith({
      Dockerfile: `${base}COPY . /context/\nRUN cd /context; find . -type f > /list; echo ${uniqueName()}\n`,
      '.dockerignore': '*\n!src\n**/*.log\n',
      'secret.env': 'x',
      'src/main.py': 'x',
      'src/a.log': 'x',
      'node_modules/a/index.js': 'x',
    })
    const { image } = await provide({ engine, options: { build: { context } } })
    removeWhenFinished(engine.docker, image.id)
    expect(await read(engine, image.id, 'grep -v -e Dockerfile -e .dockerignore /list')).toBe(
      './src/main.py\n',
    )
  })

  it('that fails says where, and what was written last', async () => {
    const unique = uniqueName()
    onTestFinished(() => removeStepsOf(engine, unique))
    const context = await folderWith({
      Dockerfile: `${base}RUN echo ${unique}\nRUN (for i in $(seq 100); do echo "line $i"; done; echo bäd) >&2; exit 3\nRUN echo never\n`,
    })
    const error = await provide({ engine, options: { build: { context } } }).catch((error) => error)
    expect(error).toMatchObject({
      code: 'BUILD_FAILED',
      data: { path: `${context}/Dockerfile`, exitCode: expect.stringMatching(/^[1-9]\d*$/) },
    })
    const { output } = error.data
    expect(output).toMatch(/: 3\b/)
    expect(output).toMatch(/line 99\n.*line 100\n.*bäd\n.*\(for i in/s)
    expect(output.split('\n').length).toBeLessThan(50)
    expect(output).not.toContain('\u001b')
  })

  it('from a Dockerfile with a mistake says so', async () => {
    const context = await folderWith({ Dockerfile: `${base}RUNN true\n` })
    await expect(provide({ engine, options: { build: { context } } })).rejects.toMatchObject({
      code: 'BUILD_FAILED',
      data: { output: expect.stringMatching(/unknown instruction: RUNN/i) },
    })
  })

  it('ends when it is cancelled, and nothing goes on', async () => {
    const seconds = uniqueSeconds()
    const context = await folderWith({ Dockerfile: `${base}RUN sleep ${seconds}\n` })
    const controller = new AbortController()
    const reason = new Error('changed my mind')
    const folder = await folderWith({})
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const built = provide({ engine, options: { build: { context } }, signal: controller.signal })
    built.catch(() => {})
    await vi.waitFor(() => expect(processes()).toContain(`sleep ${seconds}`), patience)
    // Its own folder ends with this process: the record is for a later one that finds it.
    const own = [/^fenced-[0-9a-f]{16}$/, /^fenced-[0-9a-f]{16}\.owner$/]
    expect(foldersIn(folder)).toEqual(own.map((name) => expect.stringMatching(name)))
    controller.abort(reason)
    await expect(built).rejects.toBe(reason)
    expect(foldersIn(folder)).toEqual([])
    await vi.waitFor(async () => expect(await processesLeft(`sleep ${seconds}`)).toEqual([]), patience)
    await vi.waitFor(async () => {
      const containers = await engine.docker.listContainers({ all: true })
      expect(containers.filter(({ Command }) => Command.includes(`${seconds}`))).toEqual([])
    }, patience)
    await vi.waitFor(() => expect(openConnections(engine)).toBe(0), patience)
  })

  it('takes a context that is larger than what fits into the pipes', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`files/${index}`, 'x'.repeat(20_000)]),
    )
    const context = await folderWith({
      Dockerfile: `${base}COPY files /files/\nRUN ls /files | wc -l > /count; echo files >> /count\n`,
      ...files,
    })
    const { image } = await provide({ engine, options: { build: { context } } })
    removeWhenFinished(engine.docker, image.id)
    expect(await read(engine, image.id, 'cat /count')).toBe('300\nfiles\n')
  })
})

describe.skipIf(docker.missing)('a build', () => {
  it.each([
    [{ context: '/nonexistent' }, '/nonexistent'],
    [{ context: '/', dockerfile: 'nonexistent/Dockerfile' }, '/nonexistent/Dockerfile'],
    [{ context: '/', dockerfile: 'etc' }, '/etc'],
  ])('from %j says what is missing', async (build, path) => {
    await expect(provide({ engine: await imageEngine(), options: { build } })).rejects.toMatchObject({
      code: 'BUILD_CONTEXT_NOT_FOUND',
      data: { path, option: 'build' },
    })
  })

  it.skipIf(dockerBuildkit.missing)(
    'takes the ignore file of the Dockerfile before the one of the context',
    { tags: 'nightly' },
    async () => {
      // The classic builder knows only the one of the context.
      const engine = await imageEngine(buildkit)
      const context = await folderWith({
        'a.Dockerfile': `${base}COPY . /context/\nRUN cd /context; ls > /list; echo ${uniqueName()}\n`,
        'a.Dockerfile.dockerignore': 'a.*\nb.txt\n',
        '.dockerignore': '*\n',
        'b.txt': 'x',
        'c.txt': 'x',
      })
      const build = { context, dockerfile: 'a.Dockerfile' }
      const { image } = await provide({ engine, options: { build } })
      removeWhenFinished(engine.docker, image.id)
      expect(await read(engine, image.id, 'grep txt /list')).toBe('c.txt\n')
    },
  )

  it.skipIf(dockerCli.missing)('takes a Dockerfile outside of its context', async () => {
    const engine = await imageEngine()
    const context = await folderWith({
      'a/b': 'b',
      Dockerfile: `${base}COPY b /b\nRUN echo ${uniqueName()}\n`,
    })
    const build = { context: join(context, 'a'), dockerfile: '../Dockerfile' }
    const { image } = await provide({ engine, options: { build } })
    removeWhenFinished(engine.docker, image.id)
    expect(await read(engine, image.id, 'cat /b')).toBe('b')
  })

  describe.skipIf(dockerCli.missing).each([
    { engine: 'behind TLS', needs: remoteDocker, docker: { host: remote.host, tls: remoteTls } },
    { engine: 'behind ssh', needs: sshDocker, docker: ssh.host },
    { engine: 'Podman', needs: podman, docker: podmanHost },
  ])('on an engine $engine', { tags: 'nightly' }, ({ needs, docker }) => {
    it.skipIf(needs.missing)('is made there', async () => {
      const environment = { ...process.env, PATH: `${ssh.path}${delimiter}${process.env.PATH}` }
      const engine = await imageEngine(environment, docker)
      const context = await folderWith({ Dockerfile: `${base}RUN echo ${uniqueName()} > /made\n` })
      const { image } = await provide({ engine, options: { build: { context } } })
      removeWhenFinished(engine.docker, image.id)
      expect((await engine.docker.getImage(image.id).inspect()).Config.Labels).toMatchObject({
        'fenced.image': 'build',
      })
    })
  })

  it('without a command for it says what to install, or to do instead', async () => {
    const context = await folderWith({ Dockerfile: base })
    const engine = await imageEngine({ PATH: context })
    await expect(provide({ engine, options: { build: { context } } })).rejects.toMatchObject({
      code: 'BUILD_COMMAND_NOT_FOUND',
      data: { program: 'docker, podman', option: 'image' },
    })
  })
})

/** What a command in a container of the image writes. */
async function read({ docker }: ImageEngine, image: string, command: string): Promise<string> {
  const container = await docker.createContainer({
    Image: image,
    Cmd: ['/bin/sh', '-c', command],
    Tty: true,
    HostConfig: { NetworkMode: 'none' },
  })
  try {
    await container.start()
    await container.wait()
    // docker-modem gives what looks like JSON as a value.
    return String(await container.logs({ stdout: true, stderr: true })).replaceAll('\r\n', '\n')
  } finally {
    await container.remove({ force: true, v: true })
  }
}

/** The command lines of this machine, those in containers included. */
function processes(): string {
  // Podman keeps a process with a long command line for each exec, for minutes: that is more than Node's one megabyte.
  return execFileSync('ps', ['-eo', 'args='], { maxBuffer: 2 ** 26 }).toString()
}

/** How many connections to the engine are in use. */
function openConnections({ docker }: ImageEngine): number {
  const { agent } = docker.modem as unknown as { agent: { sockets: Record<string, unknown[]> } }
  return Object.values(agent.sockets).flat().length
}

/** Removes what the classic builder keeps of a build that failed. */
async function removeStepsOf({ docker }: ImageEngine, unique: string): Promise<void> {
  for (const { Id } of await docker.listImages({ filters: { dangling: ['true'] } })) {
    // One of another test may have gone meanwhile.
    const [last] = await docker
      .getImage(Id)
      .history()
      .catch(() => [])
    if (last?.CreatedBy.includes(unique)) await removeImage(docker, Id)
  }
}

function foldersIn(folder: string): string[] {
  return temporaryEntries(folder)
    .filter((name) => name.startsWith('fenced-'))
    .sort()
}
