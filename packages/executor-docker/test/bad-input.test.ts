import { pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '../src/index.ts'
import { containersNamed, rawEngine } from './raw-engine.ts'
import { docker } from './requirements.ts'

const image = 'fenced-test/busybox'
const prefix = `fenced-test-bad-${process.pid}`

/** The error of a start, which leaves nothing behind. */
async function refusal(options: DockerExecutorOptions): Promise<unknown> {
  await using executor = new DockerCommandLineCodeExecutor({ image, containerName: prefix, ...options })
  const outcome = await executor.start().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(await containersNamed(prefix)).toEqual([])
  return outcome
}

describe.skipIf(docker.missing)('what the engine refuses is an error that names the option', () => {
  it.each<[what: string, options: DockerExecutorOptions, code: string, data: object]>([
    [
      'an image that is nowhere',
      { image: 'fenced-test/nowhere', pull: 'never' },
      'IMAGE_NOT_FOUND',
      { image: 'fenced-test/nowhere', option: 'pull' },
    ],
    [
      'a runtime that it does not have',
      { runtime: 'nosuch' },
      'CONTAINER_REFUSED',
      { reason: expect.stringContaining('nosuch'), option: 'runtime' },
    ],
    [
      'a network that it does not have',
      { network: 'nosuch' },
      'CONTAINER_REFUSED',
      { reason: expect.stringContaining('nosuch'), option: 'network' },
    ],
    ['graphics processors that it does not have', { gpus: 'all' }, 'CONTAINER_REFUSED', { option: 'gpus' }],
    [
      'more processors than it has',
      { cpus: 4096 },
      'CONTAINER_REFUSED',
      { option: 'cpus, memoryBytes, pids' },
    ],
    ['a user that the image does not know', { user: 'nosuch' }, 'CONTAINER_REFUSED', { option: 'user' }],
    [
      'a volume that is nowhere',
      { volumes: [{ source: '/nowhere/at/all', target: '/data' }] },
      'CONTAINER_REFUSED',
      { reason: expect.stringContaining('/nowhere/at/all'), option: 'volumes, bindDir' },
    ],
    [
      'a working directory that it does not see',
      { workDirMode: 'bind', bindDir: '/nowhere/at/all' },
      'WORK_DIR_NOT_SHARED',
      { option: 'workDirMode, bindDir' },
    ],
    [
      'a directory of its own under that name',
      { workDirMode: 'bind', bindDir: '/usr' },
      'WORK_DIR_NOT_SHARED',
      { option: 'workDirMode, bindDir' },
    ],
  ])('%s', async (_, options, code, data) => {
    expect(await refusal(options)).toMatchObject({ code, data })
  })

  it('with workDirMode auto, the files are copied where the engine does not see the directory', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ image, bindDir: '/nowhere/at/all' })
    const result = await executor.execute([{ language: 'sh', code: 'echo made > made.txt' }])
    expect(result.files).toMatchObject([{ path: 'made.txt', sizeBytes: 5 }])
  })
})

describe.skipIf(docker.missing)('an image', () => {
  const withoutShell = `${prefix}-without-shell`
  const otherMachine = `${prefix}-other-machine`
  beforeAll(async () => {
    await importImage(withoutShell, { 'etc/empty': Buffer.alloc(0) })
    await importImage(otherMachine, {
      'bin/sh': programForAnotherMachine(),
      'bin/sleep': programForAnotherMachine(),
    })
  })
  afterAll(async () => {
    const engine = await rawEngine()
    for (const name of [withoutShell, otherMachine]) await engine.getImage(name).remove({ force: true })
  })

  it('without a shell cannot be used, and the error says so', async () => {
    expect(await refusal({ image: withoutShell })).toMatchObject({
      code: 'IMAGE_WITHOUT_SHELL',
      data: { option: 'image' },
    })
  })

  it('for another kind of processor cannot be used, and the error says so', async () => {
    expect(await refusal({ image: otherMachine })).toMatchObject({
      code: 'WRONG_PLATFORM',
      data: { option: 'image, platform' },
    })
  })

  it('that is not there for the wanted platform is refused', async () => {
    expect(await refusal({ platform: 'linux/s390x', pull: 'never' })).toMatchObject({
      code: 'WRONG_PLATFORM',
    })
  })

  it('without the interpreter gives a result that says what it has', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ image })
    const result = await executor.execute([{ language: 'python', code: 'print(1)' }])
    expect(result).toMatchObject({ status: 'invalid', exitCode: 127 })
    expect(result.blocks[0]?.notices).toMatchObject([
      { code: 'no-interpreter', data: { language: 'python', program: 'python3, python', known: 'sh' } },
    ])
  })

  it('without bash runs bash blocks with sh, and says so', async () => {
    await using executor = new DockerCommandLineCodeExecutor({ image })
    const result = await executor.execute([{ language: 'bash', code: 'echo $((6 * 7))' }])
    expect(result).toMatchObject({ status: 'ok', output: '42\n' })
    expect(result.blocks[0]?.notices).toMatchObject([{ code: 'interpreter-substituted' }])
  })
})

async function importImage(name: string, files: Record<string, Buffer>): Promise<void> {
  const archive = pack()
  for (const [path, content] of Object.entries(files)) archive.entry({ name: path, mode: 0o755 }, content)
  archive.finalize()
  const engine = await rawEngine()
  const progress = await engine.importImage(archive as unknown as NodeJS.ReadableStream, {
    repo: name,
    tag: 'latest',
  })
  for await (const _ of progress);
}

/** The header of an ELF program for a processor that no engine runs on: the machine number is reserved. */
function programForAnotherMachine(): Buffer {
  const header = Buffer.alloc(64)
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  header.writeUInt16LE(2, 16)
  header.writeUInt16LE(0xfeed, 18)
  header.writeUInt32LE(1, 20)
  header.writeUInt16LE(64, 52)
  return header
}
