// @module-tag all

import { text } from 'node:stream/consumers'
import { processesLeft, rowTags, uniqueSeconds } from '@fenced/testing'
import { expect } from 'vitest'
import { bytesStream, describeContract } from './sandboxes.ts'
import { begun, firstOf } from './watch.ts'

const reason = new Error('the caller changed its mind')

// Processes beside each other, with standard input, and signals to the letter.
describeContract(rowTags({ nightly: ['a container', '20 calls at the same time'] }), [
  [
    'with stdin a process reads what is written, and its end',
    async ({ session }) => {
      const process = await session.spawn({
        command: 'while read -r line; do echo "<$line>"; done; echo end',
        stdin: true,
      })
      const writer = process.stdin.getWriter()
      await writer.write(Buffer.from('one\n'))
      expect(await firstOf(process.stdout)).toBe('<one>\n')
      await writer.write(Buffer.from('two\n'))
      await writer.close()
      expect(await text(process.stdout)).toBe('<two>\nend\n')
      expect(await process.wait()).toEqual({ exitCode: 0 })
    },
    'input',
  ],
  [
    'a command with standard input reads no start file of the shell',
    async ({ session, name }) => {
      await session.writeTextFile({ path: `${name}/.bashrc`, content: 'echo from .bashrc\n' })
      const { stdout } = await session.run({ command: `cd ${name} && pwd` })
      const env = { HOME: stdout.trim() }
      const process = await session.spawn({ command: 'echo only this', stdin: true, env })
      expect(await text(process.stdout)).toBe('only this\n')
    },
    'input',
  ],
  [
    'a process that leaves its standard input unread ends as it ends',
    async ({ session }) => {
      const process = await session.spawn({ command: 'exit 4', stdin: true })
      expect(await process.wait()).toEqual({ exitCode: 4 })
      await process.stdin
        .getWriter()
        .write(Buffer.from('late'))
        .catch(() => {})
    },
    'input',
  ],
  [
    'commands and files go on beside a process',
    async ({ session, name }) => {
      const process = await session.spawn({ command: 'echo begun; exec sleep 600' })
      expect(await firstOf(process.stdout)).toBe('begun\n')
      await session.writeTextFile({ path: name, content: 'beside' })
      expect((await session.run({ command: `cat ${name}` })).stdout).toBe('beside')
      await process.kill()
      await process.kill()
      expect((await process.wait()).exitCode).toBeGreaterThan(128)
    },
  ],
  [
    '20 calls at the same time do not mix',
    async ({ session, name }) => {
      const numbers = Array.from({ length: 20 }, (_, number) => number)
      const results = await Promise.all(
        numbers.map(async (number) => {
          if (number % 2 === 0) return (await session.run({ command: `echo ${number}; echo e >&2` })).stdout
          await session.writeTextFile({ path: `${name}/${number}`, content: `${number}\n` })
          return session.readTextFile({ path: `${name}/${number}` })
        }),
      )
      expect(results).toEqual(numbers.map((number) => `${number}\n`))
    },
  ],
  [
    'a kill ends all that the process started',
    async ({ session }) => {
      const seconds = uniqueSeconds()
      const process = await session.spawn({ command: `sleep ${seconds} & echo begun; sleep ${seconds}` })
      expect(await firstOf(process.stdout)).toBe('begun\n')
      await process.kill()
      await process.wait()
      expect(await processesLeft(`${seconds}`)).toEqual([])
    },
  ],
  [
    'a signal ends run and all that it started, and is the reason',
    async ({ session }) => {
      const seconds = uniqueSeconds()
      const abort = new AbortController()
      const run = session.run({ command: `sleep ${seconds} & sleep ${seconds}`, abortSignal: abort.signal })
      const rejected = expect(run).rejects.toBe(reason)
      await begun(`${seconds}`)
      abort.abort(reason)
      await rejected
      expect(await processesLeft(`${seconds}`)).toEqual([])
    },
  ],
  [
    'a signal ends spawn: wait and both streams have its reason',
    async ({ session }) => {
      const abort = new AbortController()
      const process = await session.spawn({
        command: 'echo begun; exec sleep 600',
        abortSignal: abort.signal,
      })
      const reader = process.stdout.getReader()
      expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('begun\n')
      abort.abort(reason)
      await expect(process.wait()).rejects.toBe(reason)
      await expect(reader.read()).rejects.toBe(reason)
      await expect(text(process.stderr)).rejects.toBe(reason)
    },
  ],
  [
    'a signal that comes after the end changes nothing',
    async ({ session }) => {
      const abort = new AbortController()
      const process = await session.spawn({ command: 'echo done; exit 6', abortSignal: abort.signal })
      expect(await text(process.stdout)).toBe('done\n')
      expect(await process.wait()).toEqual({ exitCode: 6 })
      abort.abort(reason)
      expect(await process.wait()).toEqual({ exitCode: 6 })
    },
  ],
  [
    'every call rejects with the reason of a signal that is aborted before, and does nothing',
    async ({ session, name: path }) => {
      const abortSignal = AbortSignal.abort(reason)
      const command = `touch ${path}`
      const calls: readonly PromiseLike<unknown>[] = [
        session.run({ command, abortSignal }),
        session.spawn({ command, abortSignal }),
        session.readFile({ path: '/etc/passwd', abortSignal }),
        session.readBinaryFile({ path: '/etc/passwd', abortSignal }),
        session.readTextFile({ path: '/etc/passwd', abortSignal }),
        session.writeFile({ path, content: bytesStream(), abortSignal }),
        session.writeBinaryFile({ path, content: new Uint8Array(1), abortSignal }),
        session.writeTextFile({ path, content: '', abortSignal }),
        session.stat({ path: '.', abortSignal }),
        session.listDirectory({ path: '.', abortSignal }),
        session.deleteFile({ path, abortSignal }),
      ]
      const settled = await Promise.allSettled(calls)
      expect(settled).toEqual(calls.map(() => ({ status: 'rejected', reason })))
      expect(await session.stat({ path })).toBeNull()
    },
  ],
  [
    'a write whose source never ends, and a read that is not finished, end with their signals',
    async ({ session, name }) => {
      const abort = new AbortController()
      let cancelled: unknown
      const begun = Promise.withResolvers<void>()
      const content = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(Buffer.from('part')),
        // Called once the part is taken.
        pull: () => begun.resolve(),
        cancel: (why) => {
          cancelled = why
        },
      })
      const written = session.writeFile({ path: name, content, abortSignal: abort.signal })
      const rejected = expect(written).rejects.toBe(reason)
      await begun.promise
      abort.abort(reason)
      await rejected
      expect(cancelled).toBe(reason)
      expect(await session.stat({ path: name })).toBeNull()

      await session.writeBinaryFile({ path: name, content: new Uint8Array(2 ** 22) })
      const reading = new AbortController()
      const stream = await session.readFile({ path: name, abortSignal: reading.signal })
      const reader = stream?.getReader()
      expect((await reader?.read())?.done).toBe(false)
      reading.abort(reason)
      const rest = async () => {
        while (!(await reader?.read())?.done);
      }
      await expect(rest()).rejects.toBe(reason)
    },
  ],
  [
    'a stream that nobody reads does not hold the process up, and one that is cancelled neither',
    async ({ session }) => {
      const unread = await session.spawn({ command: 'head -c 5000000 /dev/zero >&2; echo done' })
      expect(await text(unread.stdout)).toBe('done\n')
      expect(await unread.wait()).toEqual({ exitCode: 0 })
      const left = await session.spawn({ command: 'head -c 5000000 /dev/zero; exit 7' })
      await left.stdout.cancel()
      expect(await left.wait()).toEqual({ exitCode: 7 })
    },
  ],
  [
    'a process waits for its reader, and nothing is lost',
    async ({ session }) => {
      const process = await session.spawn({ command: 'head -c 20000000 /dev/zero' })
      let length = 0
      for await (const chunk of process.stdout) length += chunk.length
      expect(length).toBe(20_000_000)
    },
  ],
  [
    'run ends a command that writes without end, and says so',
    async ({ session }) => {
      const { exitCode, stdout, stderr } = await session.run({ command: 'cat /dev/zero' })
      expect({ exitCode, length: stdout.length }).toEqual({ exitCode: 137, length: 2 ** 24 })
      expect(stderr).toContain('it wrote more than 16777216 bytes')
    },
  ],
  [
    'a directory to begin in that is not there is said, and nothing is run',
    async ({ session }) => {
      const run = await session.run({ command: 'echo run', workingDirectory: 'not/there' })
      expect(run).toEqual({ exitCode: 126, stdout: '', stderr: expect.stringContaining('not/there') })
    },
    'script',
  ],
  [
    'links lead where they lead a command',
    async ({ session, name }) => {
      const command = `mkdir -p ${name}/real; ln -s real ${name}/way; echo in > ${name}/real/file; ln -s real/file ${name}/link; ln -s real/new ${name}/dangling; ln -s nowhere/new ${name}/lost`
      await session.run({ command })
      expect(await session.readTextFile({ path: `${name}/link` })).toBe('in\n')
      expect(await session.readTextFile({ path: `${name}/way/file` })).toBe('in\n')
      expect(await session.listDirectory({ path: `${name}/way` })).toEqual([{ name: 'file', type: 'file' }])
      await session.writeTextFile({ path: `${name}/link`, content: 'through' })
      expect(await session.readTextFile({ path: `${name}/real/file` })).toBe('through')
      await session.writeTextFile({ path: `${name}/dangling`, content: 'made' })
      expect(await session.readTextFile({ path: `${name}/real/new` })).toBe('made')
      await expect(session.writeTextFile({ path: `${name}/lost`, content: '' })).rejects.toMatchObject({
        code: 'FILE_REFUSED',
      })
      expect(await session.deleteFile({ path: `${name}/link` })).toBe(true)
      expect(await session.stat({ path: `${name}/real/file` })).toEqual({ type: 'file', size: 7 })
    },
    'links',
  ],
  [
    'what is no plain file is neither read nor written, so that nothing waits for a pipe',
    async ({ session, name: path }) => {
      await session.run({ command: `mkfifo ${path}` })
      const refused = { code: 'SANDBOX_NOT_A_FILE' }
      await expect(session.readFile({ path })).rejects.toMatchObject(refused)
      await expect(session.writeTextFile({ path, content: '' })).rejects.toMatchObject(refused)
    },
  ],
])
