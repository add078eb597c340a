import assert from 'node:assert/strict'
import { type ContractRow, unlessPython } from './contract.ts'
import { blocksFor, python } from './programs.ts'

const mebibyte = 2 ** 20

/** What becomes of the bytes that a program writes. */
export const outputRows: readonly ContractRow[] = [
  {
    name: 'a flood is cut to its beginning and its end, and the rest is counted',
    unless: unlessPython,
    async check({ create }) {
      await using executor = create({ maxOutputBytes: 1_000 })
      const result = await executor.execute([python("print('begin', 'x' * 100_000, 'end')")])
      assert.equal(result.status, 'ok')
      assert.match(result.output, /^begin x+\n\[\.\.\. \d+ bytes of output left out \.\.\.\]\nx+ end\n$/)
      assert.ok(result.output.length < 1_100)
      assert.equal(result.blocks[0]?.droppedBytes.stdout, 100_011 - 1_000)
    },
  },
  {
    name: 'a program that floods for ever ends at its time limit with head and tail',
    async check({ create, capabilities }) {
      const { block, flood } = blocksFor(capabilities)
      await using executor = create({ maxOutputBytes: mebibyte, timeoutMs: 3_000 })
      const result = await executor.execute([block(flood)])
      assert.partialDeepStrictEqual(result, { status: 'timeout', exitCode: 124 })
      assert.ok(result.output.length > mebibyte / 2 && result.output.length < 1.1 * mebibyte)
      assert.ok((result.blocks[0]?.droppedBytes.stdout ?? 0) > 0)
      assert.match(result.output, /Timeout: .*\n$/)
    },
  },
  {
    name: 'with the policy "kill" a flood is stopped',
    async check({ create, capabilities }) {
      const { block, flood } = blocksFor(capabilities)
      await using executor = create({ maxOutputBytes: 10_000, onOutputLimit: 'kill' })
      const result = await executor.execute([block(flood)])
      assert.partialDeepStrictEqual(result, { status: 'output-limit', exitCode: 137 })
      assert.match(result.output, /Output limit: .*10000 bytes/)
    },
  },
  {
    name: 'a chatty program that fails keeps its traceback',
    unless: unlessPython,
    async check({ create }) {
      await using executor = create({ maxOutputBytes: 2_000 })
      const result = await executor.execute([
        python("print('chatter ' * 100_000)", "raise KeyError('the reason')"),
      ])
      assert.equal(result.status, 'error')
      assert.match(result.output, /KeyError: 'the reason'/)
    },
  },
  {
    name: 'characters that two writes share are put together, and bytes that are none are replaced',
    unless: unlessPython,
    async check({ create }) {
      await using executor = create()
      const result = await executor.execute([
        python(
          'import os, time',
          "for byte in 'é🙂'.encode():",
          '    os.write(1, bytes([byte])); time.sleep(0.02)',
          "os.write(1, b'\\xff|')",
        ),
      ])
      assert.equal(result.blocks[0]?.stdout, 'é🙂\uFFFD|')
    },
  },
  {
    name: 'values named in `redact` leave neither in the result nor in an event, wherever they are cut',
    unless: unlessPython,
    async check({ create }) {
      const secret = 'hunter2-é-geheim'
      await using executor = create({ redact: [secret] })
      const execution = executor.execute([
        python(
          'import os, time',
          `secret = ${JSON.stringify([...secret])}`,
          'for character in secret:',
          '    os.write(1, character.encode()); time.sleep(0.01)',
          "os.write(2, ('<' + ''.join(secret) + '>').encode())",
          "raise ValueError(''.join(secret))",
        ),
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
