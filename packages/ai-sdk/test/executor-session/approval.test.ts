import { createHash } from 'node:crypto'
import { type ApprovalAnswer, askingExecutor, type CodeApprovalRequest } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { describe, expect, it } from 'vitest'
import { toSandboxSession } from './executors.ts'

/** A session over an executor that asks, and the questions. */
async function asked(answer: (request: CodeApprovalRequest) => ApprovalAnswer) {
  const requests: CodeApprovalRequest[] = []
  const inner = new LocalCommandLineCodeExecutor({ timeoutMs: 20_000 })
  await inner.start()
  const executor = askingExecutor(inner, {
    code: (request) => {
      requests.push(request)
      return answer(request)
    },
  })
  return { requests, session: toSandboxSession(executor), [Symbol.asyncDispose]: () => inner.stop() }
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

describe('a session over an executor that asks', () => {
  it('asks with the content of a file before it is written', async () => {
    await using test = await asked(() => ({ decision: 'allow' }))
    const content = 'echo "é"\u200B\n# end\n'
    await test.session.writeTextFile({ path: 'dir/tool.sh', content })
    expect(test.requests).toHaveLength(1)
    expect(test.requests[0]?.files).toEqual([
      { path: 'dir/tool.sh', sizeBytes: Buffer.byteLength(content), sha256: sha256(content), text: content },
    ])
    expect(await test.session.readTextFile({ path: 'dir/tool.sh' })).toBe(content)
  })

  it('asks with the size and the hash of what is no text, or a long one', async () => {
    await using test = await asked(() => ({ decision: 'allow' }))
    const contents = [new Uint8Array([0xff, 0xfe, 0]), Buffer.from('x'.repeat(1024 * 1024 + 1))]
    for (const content of contents) await test.session.writeBinaryFile({ path: 'a', content })
    expect(test.requests.map(({ files }) => files)).toEqual(
      contents.map((content) => [{ path: 'a', sizeBytes: content.length, sha256: sha256(content) }]),
    )
  })

  it('writes nothing that is denied', async () => {
    await using test = await asked(({ files }) =>
      files === undefined ? { decision: 'allow' } : { decision: 'deny', reason: 'No.' },
    )
    await expect(test.session.writeTextFile({ path: 'a', content: 'x' })).rejects.toMatchObject({
      code: 'SANDBOX_FILE_FAILED',
      data: { path: 'a', reason: expect.stringContaining('No.') },
    })
    expect(await test.session.readTextFile({ path: 'a' })).toBeNull()
  })

  it('asks each time before a command, whose files may be others by then', async () => {
    await using test = await asked(() => ({ decision: 'allow', remember: 'code' }))
    const run = () => test.session.run({ command: 'sh tool.sh' })
    await test.session.writeTextFile({ path: 'tool.sh', content: 'echo good' })
    expect((await run()).stdout).toBe('good\n')
    await test.session.writeTextFile({ path: 'tool.sh', content: 'echo bad' })
    expect((await run()).stdout).toBe('bad\n')
    const spawned = await test.session.spawn({ command: 'sh tool.sh' })
    expect(await spawned.wait()).toEqual({ exitCode: 0 })
    expect(test.requests).toHaveLength(5)
    expect(test.requests.every(({ remembersCode }) => remembersCode === false)).toBe(true)
  })

  it('asks once where everything is allowed', async () => {
    await using test = await asked(() => ({ decision: 'allow', remember: 'conversation' }))
    await test.session.writeTextFile({ path: 'tool.sh', content: 'echo good' })
    expect((await test.session.run({ command: 'sh tool.sh' })).stdout).toBe('good\n')
    expect(test.requests).toHaveLength(1)
  })
})
