import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bytesStream, describeEachExecutor, subjectRows, subjects, toSandboxSession } from './executors.ts'

const oddNames = [
  'with space',
  `'single' "double" \`back\``,
  '-rf',
  '--',
  'é 日本 😀',
  '$HOME $(touch owned) ; # * ?[a]',
  'back\\slash\\n',
  '~',
  'pip install pip',
  // The last one: a shell takes line ends at the end of an answer away.
  'new\nline\n',
]

describeEachExecutor((get) => {
  it.for([
    ['in the working directory', 'big'],
    ['elsewhere', ''],
  ])('20 MB of any bytes go in and out %s', { tags: 'all' }, async ([_, inside]) => {
    const { session, outside } = get()
    const path = inside || `${outside}/big`
    const chunks = Array.from({ length: 20 }, () => randomBytes(2 ** 20))
    const hash = createHash('sha256').update(Buffer.concat(chunks)).digest('hex')
    await session.writeFile({ path, content: bytesStream(...chunks) })
    expect(await session.stat({ path })).toEqual({ type: 'file', size: 20 * 2 ** 20 })
    expect((await session.run({ command: `sha256sum < ${path}` })).stdout).toContain(hash)
    const back = await session.readBinaryFile({ path })
    expect(
      createHash('sha256')
        .update(back ?? '')
        .digest('hex'),
    ).toBe(hash)
    expect(await session.deleteFile({ path })).toBe(true)
  })

  it.for(oddNames)('the name %j is only a name', async (name) => {
    const { session } = get()
    const directory = `odd/${name}`
    const path = `${directory}/${name}`
    await session.writeTextFile({ path, content: name })
    expect(await session.readTextFile({ path })).toBe(name)
    expect(await session.stat({ path })).toMatchObject({ type: 'file' })
    expect(await session.listDirectory({ path: directory })).toEqual([{ name, type: 'file' }])
    const { stdout } = await session.run({ command: 'cat ./*', workingDirectory: directory })
    expect(stdout).toBe(name)
    expect(await session.deleteFile({ path })).toBe(true)
  })

  // One path with all of them: what handles a name is the same as in the working directory.
  it('all of these are only names elsewhere, too', async () => {
    const { session, outside } = get()
    const directory = [outside, 'odd', ...oddNames].join('/')
    const [name = ''] = oddNames.slice(-1)
    const path = `${directory}/${name}`
    await session.writeTextFile({ path, content: name })
    expect(await session.readTextFile({ path })).toBe(name)
    expect(await session.stat({ path })).toMatchObject({ type: 'file' })
    expect(await session.listDirectory({ path: directory })).toEqual([{ name, type: 'file' }])
    const { stdout } = await session.run({ command: 'cat ./*', workingDirectory: directory })
    expect(stdout).toBe(name)
    expect(await session.deleteFile({ path })).toBe(true)
    expect(await session.listDirectory({ path: directory })).toEqual([])
    const [first] = oddNames
    expect(await session.listDirectory({ path: `${outside}/odd` })).toEqual([
      { name: first, type: 'directory' },
    ])
  })

  it('a name with a leading dash or a space stands in the working directory itself as well', async () => {
    const { session } = get()
    await session.writeTextFile({ path: '-n top', content: 'top' })
    expect(await session.readTextFile({ path: '-n top' })).toBe('top')
    expect(await session.stat({ path: '-n top' })).toEqual({ type: 'file', size: 3 })
    expect(await session.deleteFile({ path: '-n top' })).toBe(true)
    await expect(session.stat({ path: 'a\0b' })).rejects.toMatchObject({ code: 'SANDBOX_INVALID_ARGUMENT' })
    await expect(session.readFile({ path: 'a\0b' })).rejects.toMatchObject({
      code: 'SANDBOX_INVALID_ARGUMENT',
    })
  })

  it('a link leads where it leads a command, and never further on this machine', {
    tags: 'all',
  }, async () => {
    const { session, executor } = get()
    const secrets = await mkdtemp(join(tmpdir(), 'fenced-session-secret-'))
    await writeFile(join(secrets, 'secret'), 'of this machine')
    await session.run({ command: `ln -s ${secrets}/secret planted; ln -s ${secrets} way` })
    const seen = await session.run({ command: 'cat planted' })
    const isHere = executor.capabilities.isolation === 'none'
    expect(seen.exitCode === 0).toBe(isHere)
    const content = isHere ? 'of this machine' : null
    expect(await session.readTextFile({ path: 'planted' })).toBe(content)
    expect(await session.readTextFile({ path: 'way/secret' })).toBe(content)
    expect((await session.stat({ path: 'planted' }))?.size).toBe(content?.length)
    expect((await session.listDirectory({ path: 'way' }))?.length).toBe(isHere ? 1 : undefined)
    if (!isHere) {
      await expect(session.writeTextFile({ path: 'planted', content: 'owned' })).rejects.toMatchObject({
        code: 'SANDBOX_FILE_FAILED',
        data: { path: 'planted' },
      })
      await expect(session.writeTextFile({ path: 'way/new', content: 'owned' })).rejects.toMatchObject({
        code: 'SANDBOX_FILE_FAILED',
        data: { path: 'way/new' },
      })
    }
    expect(await session.deleteFile({ path: 'planted' })).toBe(true)
    expect(await session.deleteFile({ path: 'way' })).toBe(true)
    expect(await readdir(secrets)).toEqual(['secret'])
    expect(await readFile(join(secrets, 'secret'), 'utf8')).toBe('of this machine')
    await rm(secrets, { recursive: true })
  })

  it('writing through a link in the working directory writes its target', async () => {
    const { session, outside } = get()
    await session.run({ command: `mkdir -p ${outside}/linked; ln -s ${outside}/linked linked` })
    await session.writeTextFile({ path: 'linked/file', content: 'through' })
    expect(await session.readTextFile({ path: `${outside}/linked/file` })).toBe('through')
    expect(await session.readTextFile({ path: 'linked/file' })).toBe('through')
    expect(await session.deleteFile({ path: 'linked' })).toBe(true)
  })

  it('what is no plain file is not read, so that nothing waits for a pipe', async () => {
    const { session } = get()
    await session.run({ command: 'mkfifo pipe' })
    const refused = { code: 'SANDBOX_NOT_A_FILE' }
    await expect(session.readFile({ path: 'pipe' })).rejects.toMatchObject(refused)
    await expect(session.readFile({ path: '/dev/zero' })).rejects.toMatchObject(refused)
    await expect(session.writeTextFile({ path: 'pipe', content: '' })).rejects.toMatchObject(refused)
  })

  it('a stream that fails leaves the file as it was, and its error is the one that is told', async () => {
    const { session } = get()
    await session.writeTextFile({ path: 'whole', content: 'whole' })
    const content = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('part')),
      pull: (controller) => controller.error(new Error('the source broke')),
    })
    await expect(session.writeFile({ path: 'whole', content })).rejects.toThrow('the source broke')
    expect(await session.readTextFile({ path: 'whole' })).toBe('whole')
  })

  it('20 calls at the same time do not mix', async () => {
    const { session } = get()
    const numbers = Array.from({ length: 20 }, (_, number) => number)
    const results = await Promise.all(
      numbers.map(async (number) => {
        const path = `many/${number}`
        if (number % 2 === 0)
          return (await session.run({ command: `echo ${number}; echo e${number} >&2` })).stdout
        await session.writeTextFile({ path, content: `${number}\n` })
        return session.readTextFile({ path })
      }),
    )
    expect(results).toEqual(numbers.map((number) => `${number}\n`))
    expect((await session.listDirectory({ path: 'many' }))?.length).toBe(10)
  })
})

describe.each(subjects)('$name', { concurrent: true, ...subjectRows }, ({ create, missing }) => {
  it.skipIf(missing)('limits and redaction of output do not reach files', async () => {
    await using executor = create({ maxOutputBytes: 2, onOutputLimit: 'kill', redact: ['secret', '600'] })
    const session = toSandboxSession(executor)
    await session.writeTextFile({ path: '/tmp/secret-kept/secrets', content: 'secret'.repeat(10_000) })
    expect(await session.readTextFile({ path: '/tmp/secret-kept/secrets' })).toBe('secret'.repeat(10_000))
    expect(await session.stat({ path: '/tmp/secret-kept/secrets' })).toEqual({ type: 'file', size: 60_000 })
    expect(await session.listDirectory({ path: '/tmp/secret-kept' })).toEqual([
      { name: 'secrets', type: 'file' },
    ])
    expect(await session.deleteFile({ path: '/tmp/secret-kept/secrets' })).toBe(true)
    expect(await session.run({ command: 'rmdir /tmp/secret-kept; echo long; sleep 60' })).toMatchObject({
      exitCode: 137,
    })
  })

  it.skipIf(missing)('a session may begin with a file, before anything was started', async () => {
    await using executor = create()
    const session = toSandboxSession(executor)
    await session.writeTextFile({ path: 'first', content: '1' })
    expect((await session.run({ command: 'ls -A' })).stdout).toContain('first')
    await executor.stop()
    await expect(session.writeTextFile({ path: 'late', content: '' })).rejects.toMatchObject({
      code: 'EXECUTOR_STOPPED',
    })
    await expect(session.readFile({ path: 'first' })).rejects.toMatchObject({ code: 'EXECUTOR_STOPPED' })
  })
})
