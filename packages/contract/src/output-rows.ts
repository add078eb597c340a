import assert from 'node:assert/strict'
import type { ContractRow } from './contract.ts'
import { noticeOf } from './notice-of.ts'
import type { OutputPiece } from './programs.ts'

const mebibyte = 2 ** 20

/** Rules for the output of programs. */
export const outputRows: readonly ContractRow[] = [
  {
    name: 'a flood is cut to its beginning and its end, and the rest is counted',
    needs: ['print'],
    async check({ create, programs, block }) {
      await using executor = create({ maxOutputBytes: 1_000 })
      const result = await executor.execute([block(programs.print(`begin ${'x'.repeat(100_000)} end`))])
      assert.equal(result.status, 'ok')
      assert.match(result.output, /^begin x+\n\[\.\.\. \d+ bytes of output left out \.\.\.\]\nx+ end\n$/)
      assert.ok(result.output.length < 1_100)
      assert.equal(result.blocks[0]?.droppedBytes.stdout, 100_011 - 1_000)
    },
  },
  {
    name: 'a program that floods for ever ends at its time limit with head and tail, in bounded memory',
    needs: ['flood'],
    async check({ create, programs: { flood }, block }) {
      // So little that also a busy machine writes more in the time.
      const maxOutputBytes = mebibyte / 8
      await using executor = create({ maxOutputBytes, timeoutMs: 2_000 })
      await executor.start()
      const before = process.memoryUsage.rss()
      let most = before
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage.rss())
      }, 50)
      const result = await executor.execute([block(flood)]).finally(() => clearInterval(watch))
      const grown = (most - before) / mebibyte
      assert.ok(grown < 400, `this process has grown by ${grown} MiB`)
      assert.partialDeepStrictEqual(result, { status: 'timeout', exitCode: 124 })
      assert.ok(result.output.length > maxOutputBytes / 2 && result.output.length < 1.1 * maxOutputBytes)
      assert.ok((result.blocks[0]?.droppedBytes.stdout ?? 0) > 0)
      assert.ok(result.output.endsWith(`${noticeOf(result, 'timeout').message}\n`))
    },
  },
  {
    name: 'with the policy "kill" a flood is stopped',
    needs: ['flood'],
    async check({ create, programs: { flood }, block }) {
      await using executor = create({ maxOutputBytes: 10_000, onOutputLimit: 'kill' })
      const result = await executor.execute([block(flood)])
      assert.partialDeepStrictEqual(result, { status: 'output-limit', exitCode: 137 })
      assert.deepEqual(noticeOf(result, 'output-limit').data, { limitBytes: '10000' })
    },
  },
  {
    name: 'a chatty program that fails keeps its traceback',
    needs: ['print', 'fail'],
    async check({ create, programs: { print, fail }, block }) {
      await using executor = create({ maxOutputBytes: 2_000 })
      const result = await executor.execute([block(print('chatter '.repeat(100_000)), fail('the reason'))])
      assert.equal(result.status, 'error')
      assert.match(result.output, /the reason/)
    },
  },
  {
    name: 'characters that two writes share are put together, and bytes that are none are replaced',
    needs: ['write'],
    async check({ create, programs, block }) {
      await using executor = create()
      const pieces = [
        ...bytesOneByOne('é🙂'),
        { stream: 'stdout' as const, bytes: Uint8Array.of(0xff, 0x7c) },
      ]
      const result = await executor.execute([block(programs.write(pieces, 20))])
      assert.equal(result.blocks[0]?.stdout, 'é🙂\uFFFD|')
    },
  },
  {
    name: 'values named in `redact` leave neither in the result nor in an event, wherever they are cut',
    needs: ['write', 'fail'],
    async check({ create, programs: { write, fail }, block }) {
      const secret = 'hunter2-é-geheim'
      await using executor = create({ redact: [secret] })
      const onStderr = { stream: 'stderr' as const, bytes: Buffer.from(`<${secret}>`) }
      const execution = executor.execute([
        block(write([...bytesOneByOne(secret), onStderr], 10), fail(secret)),
      ])
      let seen = ''
      for await (const event of execution) {
        if (event.type !== 'block-start')
          seen += `${'text' in event ? event.text : ''}${JSON.stringify(event)}`
      }
      assert.ok(!seen.includes(secret))
      assert.match((await execution).output, /\[redacted\]/)
    },
  },
]

function bytesOneByOne(text: string): OutputPiece[] {
  return [...Buffer.from(text)].map((byte) => ({ stream: 'stdout', bytes: Uint8Array.of(byte) }))
}
