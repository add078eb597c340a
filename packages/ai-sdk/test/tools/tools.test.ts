import { LocalSandbox } from '@fenced/sandbox-local'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  claudeBash,
  claudeTextEditor,
  openaiShell,
  type SandboxSession,
  toSandboxSession,
} from '../../src/index.ts'

const sandbox = new LocalSandbox()
let session: SandboxSession

beforeAll(async () => {
  await sandbox.start()
  session = toSandboxSession(sandbox)
})
afterAll(() => sandbox.stop())

describe('openaiShell', { tags: 'all' }, () => {
  const run = async (action: object, options = {}) =>
    openaiShell(session, options).execute({ action: { commands: [], ...action } })

  it('runs commands one after the other, each in a shell of its own', async () => {
    const commands = ['echo one; echo two >&2; kept=1; exit 3', 'echo "[$kept]"']
    expect(await run({ commands })).toEqual({
      output: [
        { stdout: 'one\n', stderr: 'two\n', outcome: { type: 'exit', exitCode: 3 } },
        { stdout: '[]\n', stderr: '', outcome: { type: 'exit', exitCode: 0 } },
      ],
    })
  })

  it('ends a command at its time limit, keeps what it wrote, and goes on with the next', async () => {
    const { output } = await run({ commands: ['echo early; sleep 600', 'echo next'], timeoutMs: 6_000 })
    expect(output).toEqual([
      { stdout: 'early\n', stderr: '', outcome: { type: 'timeout' } },
      { stdout: 'next\n', stderr: '', outcome: { type: 'exit', exitCode: 0 } },
    ])
  })

  it('keeps the beginning and the end of a long output, and gives back the limit of the model', async () => {
    const { output, maxOutputLength } = await run({ commands: ['seq 100000'], maxOutputLength: 20 })
    expect(maxOutputLength).toBe(20)
    expect(output[0]?.stdout).toBe('1\n2\n3\n4\n5\n\n[… 588875 characters are left out …]\n99\n100000\n')
  })

  it('rejects with the reason of a signal, and leaves nothing running', async () => {
    const call = { action: { commands: ['sleep 600'] } }
    const abortSignal = AbortSignal.timeout(300)
    await expect(openaiShell(session).execute(call, { abortSignal })).rejects.toHaveProperty(
      'name',
      'TimeoutError',
    )
  })
})

describe('claudeBash', () => {
  it('is one shell that stays: its directory, its variables, its functions', async () => {
    const { execute } = claudeBash(session)
    expect(
      await execute({ command: 'mkdir -p deep; cd deep; name=anna; greet() { echo "hello $1"; }' }),
    ).toBe('')
    expect(await execute({ command: 'basename "$PWD"; greet $name' })).toBe('deep\nhello anna\n')
    expect(await execute({ restart: true })).toBe('The shell was restarted.')
    expect(await execute({ command: 'basename "$PWD"; echo "[$name]"' })).not.toContain('anna')
  })

  it('tells the exit code of a command that fails, with both streams in order', async () => {
    const { execute } = claudeBash(session)
    expect(await execute({ command: 'echo out; ls /no-such-place; (exit 4)' })).toMatch(
      /^out\nls: .*no-such-place.*\n\[exit code 4]\n$/,
    )
    expect(await execute({ command: 'for (' })).toMatch(/syntax error.*\[exit code [12]]\n$/s)
  })

  it('gives a command no input, and takes any text for one', async () => {
    const { execute } = claudeBash(session)
    expect(await execute({ command: 'cat; read -r line; echo "[$line]"' })).toBe('[]\n')
    expect(await execute({ command: 'cat <<"END"\nit’s "$HOME" \\ `x`\nEND' })).toBe('it’s "$HOME" \\ `x`\n')
    await expect(execute({ command: 'a\0b' })).rejects.toMatchObject({ code: 'SANDBOX_INVALID_ARGUMENT' })
    await expect(execute({})).rejects.toMatchObject({ code: 'SANDBOX_INVALID_ARGUMENT' })
  })

  it('says that its shell has ended, and has a new one for the next command', async () => {
    const { execute } = claudeBash(session, { timeoutMs: 6_000 })
    expect(await execute({ command: 'echo bye; exit 3' })).toBe(
      'bye\n[The shell has ended: the command ended it. The next command gets a new one.]\n',
    )
    expect(await execute({ command: 'echo early; sleep 600' })).toBe(
      'early\n[The shell has ended: the command took longer than 6000 ms. The next command gets a new one.]\n',
    )
    expect(await execute({ command: 'echo new' })).toBe('new\n')
  })

  it('needs a bash in the sandbox', async () => {
    const bare = new LocalSandbox({ env: { PATH: '/no/such/directory' } })
    onTestFinished(() => bare.stop())
    await bare.start()
    const { execute } = claudeBash(toSandboxSession(bare))
    await expect(execute({ command: 'true' })).rejects.toMatchObject({
      code: 'SANDBOX_COMMAND_FAILED',
      data: { program: 'bash' },
    })
  })

  it('takes one command after the other, and keeps the ends of a long output', async () => {
    const { execute } = claudeBash(session, { maxOutputLength: 20 })
    const [first, second] = await Promise.all([
      execute({ command: 'sleep 0.3; seq 100000' }),
      execute({ command: 'echo second' }),
    ])
    expect(first).toBe('1\n2\n3\n4\n5\n\n[… 588875 characters are left out …]\n99\n100000\n')
    expect(second).toBe('second\n')
  })

  it('rejects with the reason of a signal, and has a new shell afterwards', async () => {
    const { execute } = claudeBash(session)
    const abortSignal = AbortSignal.timeout(500)
    await expect(execute({ command: 'sleep 600' }, { abortSignal })).rejects.toHaveProperty(
      'name',
      'TimeoutError',
    )
    expect(await execute({ command: 'echo new' })).toBe('new\n')
  })
})

describe('claudeTextEditor', () => {
  const edit = (input: object) =>
    claudeTextEditor(session).execute({ command: 'view', path: 'poem.txt', ...input })
  const content = () => session.readTextFile({ path: 'poem.txt' })
  const expectRefusal = async (input: object, data: Readonly<Record<string, string>>) => {
    await expect(edit(input)).rejects.toMatchObject({ code: 'SANDBOX_INVALID_ARGUMENT', data })
  }

  it('writes a file, and shows it with its numbers', async () => {
    await edit({ command: 'create', file_text: 'one\ntwö\n\nfour\n' })
    expect(await edit({})).toBe('     1\tone\n     2\ttwö\n     3\t\n     4\tfour')
    expect(await edit({ view_range: [2, 3] })).toBe('     2\ttwö\n     3\t')
    expect(await edit({ view_range: [4, -1] })).toBe('     4\tfour')
    await expectRefusal(
      { view_range: [5, 6] },
      { parameter: 'view_range', value: '[5, 6]', path: 'poem.txt', lines: '4' },
    )
    await expectRefusal({ path: 'no.txt' }, { path: 'no.txt' })
  })

  it('changes what is there once, and nothing else', async () => {
    await edit({ command: 'create', file_text: 'a $& b\na\n' })
    expect(await edit({ command: 'str_replace', old_str: ' b', new_str: ' $& $1' })).toContain('at line 1')
    expect(await content()).toBe('a $& $& $1\na\n')
    const oldText = { parameter: 'old_str', path: 'poem.txt' }
    await expectRefusal({ command: 'str_replace', old_str: 'a', new_str: 'x' }, { ...oldText, count: '2' })
    await expectRefusal({ command: 'str_replace', old_str: 'none', new_str: 'x' }, { ...oldText, count: '0' })
    await expectRefusal({ command: 'str_replace', old_str: '', new_str: 'x' }, { ...oldText, count: '0' })
    await edit({ command: 'str_replace', old_str: '\na\n' })
    expect(await content()).toBe('a $& $& $1')
  })

  it('refuses to edit a file that is not UTF-8, and leaves it as it was', async () => {
    const bytes = Buffer.from('caf\xe9 one\n', 'latin1')
    await session.writeBinaryFile({ path: 'poem.txt', content: bytes })
    expect(await edit({})).toBe('     1\tcaf\uFFFD one')
    const why = { path: 'poem.txt', encoding: 'utf-8' }
    await expectRefusal({ command: 'str_replace', old_str: 'one', new_str: 'two' }, why)
    await expectRefusal({ command: 'insert', insert_line: 1, insert_text: 'two' }, why)
    expect(await session.readBinaryFile({ path: 'poem.txt' })).toEqual(new Uint8Array(bytes))
  })

  it('inserts behind a line, also where no line end stands', async () => {
    await edit({ command: 'create', file_text: 'one\ntwo' })
    await edit({ command: 'insert', insert_line: 2, insert_text: 'three' })
    await edit({ command: 'insert', insert_line: 0, insert_text: 'zero' })
    expect(await content()).toBe('zero\none\ntwo\nthree')
    await expectRefusal(
      { command: 'insert', insert_line: 9, insert_text: 'x' },
      { parameter: 'insert_line', value: '9', path: 'poem.txt', lines: '4' },
    )
    await expectRefusal(
      { command: 'insert', insert_line: 1 },
      { command: 'insert', parameter: 'insert_line, insert_text' },
    )
  })

  it('lists a directory two levels deep, without hidden entries', async () => {
    await session.run({ command: 'mkdir -p tree/a/b/c tree/.git; touch tree/z tree/a/b/c/deep tree/a/y' })
    expect(await edit({ path: 'tree' })).toBe('tree:\ntree/a/\ntree/a/b/\ntree/a/y\ntree/z')
  })

  it('cuts what is too long, and says so', async () => {
    await edit({ command: 'create', file_text: 'x'.repeat(100) })
    const short = claudeTextEditor(session, { maxCharacters: 20 })
    expect(await short.execute({ command: 'view', path: 'poem.txt' })).toBe(
      `     1\t${'x'.repeat(13)}\n[… 87 characters are left out: give a \`view_range\` …]`,
    )
    await session.run({ command: 'mkdir long; touch long/a long/b long/c' })
    expect(await short.execute({ command: 'view', path: 'long' })).toBe(
      'long:\nlong/a\nlong/b\n\n[… 6 characters are left out: view a directory in it …]',
    )
  })
})
