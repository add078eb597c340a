import { createHash } from 'node:crypto'
import { type ApprovalRequest, askingExecutor, type FileRequest, type ProcessRequest } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { expect, it } from 'vitest'
import { toSandboxSession } from '../../src/index.ts'

/** A session over an executor that asks about code, processes and files, and the questions. */
function asked(isAllowed: (request: ApprovalRequest) => boolean = () => true) {
  const requests: (FileRequest | ProcessRequest)[] = []
  const inner = new LocalCommandLineCodeExecutor()
  const executor = askingExecutor(inner, (request) => {
    requests.push(request as FileRequest | ProcessRequest)
    return isAllowed(request) ? 'allow' : { decision: 'deny', reason: 'No.' }
  })
  return {
    requests,
    executor,
    session: toSandboxSession(executor),
    [Symbol.asyncDispose]: () => inner.stop(),
  }
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

it('asks with the content of a file before it is written, and before it is deleted', async () => {
  await using test = asked()
  const path = 'dir/tool.sh'
  const content = 'echo "é"\u200B\n# end\n'
  await test.session.writeTextFile({ path, content })
  expect(await test.session.readTextFile({ path })).toBe(content)
  expect(await test.session.deleteFile({ path })).toBe(true)
  expect(await test.session.listDirectory({ path: 'dir' })).toEqual([])
  expect(await test.session.stat({ path: '.' })).toMatchObject({ type: 'directory' })
  const at = `${test.executor.workDir}/${path}`
  const file = { path: at, sizeBytes: Buffer.byteLength(content), sha256: sha256(content), text: content }
  expect(test.requests).toMatchObject([
    { kind: 'file', action: 'write', path: at, file },
    { kind: 'file', action: 'remove', path: at },
  ])
})

it('asks with the command, its directory and the names of its variables', async () => {
  await using test = asked()
  await test.session.writeTextFile({ path: 'sub/words', content: 'one two\n' })
  const command = 'wc -w < words; echo "$OWN"'
  const call = { command, workingDirectory: 'sub', env: { OWN: 'value' } }
  expect(await test.session.run(call)).toMatchObject({ exitCode: 0, stdout: '2\nvalue\n' })
  expect(test.requests[1]).toMatchObject({
    kind: 'process',
    command: [expect.stringContaining('bash'), '--norc', '-c', command],
    workDir: `${test.executor.workDir}/sub`,
    env: ['OWN'],
  })
})

it('tells a model about a denial as the result of its command', async () => {
  await using test = asked(() => false)
  expect(await test.session.run({ command: 'touch made' })).toEqual({
    exitCode: 126,
    stdout: '',
    stderr: 'The process was not started, because it was not approved. Reason: No.\n',
  })
  const denied = { code: 'APPROVAL_DENIED', data: { reason: 'No.' } }
  await expect(test.session.spawn({ command: 'touch made' })).rejects.toMatchObject(denied)
  await expect(test.session.writeTextFile({ path: 'a', content: 'x' })).rejects.toMatchObject(denied)
  expect(await test.session.readTextFile({ path: 'a' })).toBeNull()
  expect(await test.session.listDirectory({ path: '.' })).toEqual([])
})

it('follows no link, and reads nothing outside the working directory', async () => {
  await using test = asked()
  await test.session.run({ command: 'ln -s /etc/passwd link; ln -s /etc way' })
  const { length } = test.requests
  const refused = { code: 'FILE_REFUSED' }
  await expect(test.session.readTextFile({ path: '/etc/passwd' })).rejects.toMatchObject(refused)
  expect(await test.session.readTextFile({ path: 'way/passwd' })).toBeNull()
  const noFile = { code: 'SANDBOX_NOT_A_FILE' }
  await expect(test.session.readTextFile({ path: 'link' })).rejects.toMatchObject(noFile)
  await expect(test.session.writeTextFile({ path: 'link', content: 'owned' })).rejects.toMatchObject(noFile)
  expect(test.requests).toHaveLength(length)
})

it('withdraws the question when its call is aborted', async () => {
  const begun = Promise.withResolvers<AbortSignal>()
  await using executor = new LocalCommandLineCodeExecutor({
    ask: (_, { signal }) => {
      begun.resolve(signal)
      return new Promise(() => {})
    },
  })
  const session = toSandboxSession(executor)
  const abort = new AbortController()
  const running = session.run({ command: 'touch made', abortSignal: abort.signal })
  const signal = await begun.promise
  const reason = new Error('the caller changed its mind')
  abort.abort(reason)
  await expect(running).rejects.toBe(reason)
  expect(signal.aborted).toBe(true)
  expect(await session.listDirectory({ path: '.' })).toEqual([])
})
