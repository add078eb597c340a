import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '../src/index.ts'
import { python } from './requirements.ts'

function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'fenced-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function run(options: LocalExecutorOptions, code: string, language = 'python') {
  await using executor = new LocalCommandLineCodeExecutor(options)
  const { blocks } = await executor.execute([{ language, code }])
  const [block] = blocks
  if (block === undefined) throw new Error('No block was run.')
  return block
}

describe.skipIf(python.missing)('a program', () => {
  it.each([
    ['python', '# filename: a.py\ntext = """\n!pip install x\n%pip install y"""\n# pip install z\n'],
    ['sh', '# filename: a.sh\necho "RUN pip install flask" > Dockerfile\nif false; then pip install x; fi\n'],
    ['bash', '# filename: b.sh\ncat > README <<EOF\n!pip install x\nEOF\n'],
    ['javascript', '// filename: a.js\nconst text = `\n!pip install x\n`\n'],
  ])('in %s is written into its file as it is', async (language, code) => {
    const workDir = temporaryFolder()
    const { file = '' } = await run({ workDir }, code, language)
    expect(readFileSync(join(workDir, file), 'utf8')).toBe(code)
  })

  it.each([
    ['!pip install x', '1', '!pip install x'],
    ['print(1)\nif True:\n    %pip install x', '3', '%pip install x'],
    ['names = !ls', '1', 'names = !ls'],
  ])(
    'that is a file and has a notebook command runs nothing, and says which: %j',
    async (code, line, command) => {
      const block = await run({}, code)
      expect(block).toMatchObject({ status: 'error', stdout: '' })
      expect(block.notices).toMatchObject([{ code: 'notebook-command', data: { line, command } }])
    },
  )

  it.each([
    ['sh', 'mkdir d &amp;&amp; echo in &gt; d/f', '&amp;'],
    ['python', 'if 1 &lt; 2:\n  print(1)', '&lt;'],
  ])('in %s with HTML entities is not decoded, and says so', async (language, code, entity) => {
    const block = await run({}, code, language)
    expect(block).toMatchObject({ status: 'error', stdout: '' })
    expect(block.notices).toMatchObject([{ code: 'html-entities', data: { line: '1', entity } }])
  })

  it('that uses a variable of an earlier block fails, and says why, until it defines it', async () => {
    await using executor = new LocalCommandLineCodeExecutor({})
    const blocks = ['df = 1', 'print(df)', 'df = 2; print(df)'].map((code) => ({ language: 'python', code }))
    const results = []
    for (const block of blocks) results.push((await executor.execute([block])).blocks[0])
    const notices = [{ code: 'name-of-earlier-block', data: { name: 'df' } }]
    expect(results).toMatchObject([
      { status: 'ok' },
      { status: 'error', notices },
      { stdout: '2\n', notices: [] },
    ])
  })

  it('with another error, or with such a text in its output, gets no such notice', async () => {
    for (const code of ['1 +', 'print("""!pip install x\\n^\\nSyntaxError: """); 1 / 0', 'x = 7\nx %pip'])
      expect((await run({}, code)).notices).toEqual([])
  })
})
