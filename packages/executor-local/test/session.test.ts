import { type BlockResult, LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { afterAll, describe, expect, test } from 'vitest'

const executor = new LocalCommandLineCodeExecutor({ stateful: true, killGraceMs: 500 })

afterAll(() => executor.stop())

async function cell(code: string, timeoutMs = 20_000, language = 'python'): Promise<BlockResult> {
  const { blocks } = await executor.execute([{ language, code }], { timeoutMs })
  return blocks[0] as BlockResult
}

const codesOf = ({ notices }: BlockResult) => notices.map(({ code }) => code)

describe.skipIf(process.platform !== 'linux')('a session in a local process', () => {
  test('keeps variables, and shows the value of the last line', async () => {
    expect(executor.capabilities).toMatchObject({
      stateful: ['python'],
      richOutput: true,
      inputRequests: true,
    })
    expect(await cell('x = 41')).toMatchObject({ status: 'ok', results: [], notices: [] })
    const value = { kind: 'value', data: { 'text/plain': '42' } }
    expect(await cell('print("first")\nx + 1')).toMatchObject({ stdout: 'first\n', results: [value] })
    expect(await cell('x + 1;')).toMatchObject({ status: 'ok', results: [] })
  })

  test('reports an error with the lines of all cells, and goes on', async () => {
    await cell('def divide(a, b):\n    return a / b')
    const failed = await cell('divide(1, 0)')
    expect(failed).toMatchObject({ status: 'error', exitCode: 1 })
    expect(failed.error).toMatchObject({
      name: 'ZeroDivisionError',
      message: 'division by zero',
      traceback: [
        { file: 'block 1', line: 1, blockIndex: 0, code: 'divide(1, 0)' },
        { line: 2, function: 'divide', code: 'return a / b' },
      ],
    })
    expect(failed.stderr).toContain('    return a / b\n')
    expect((await cell('divide(6, 3)')).results[0]?.data).toEqual({ 'text/plain': '2.0' })
  })

  test('keeps variables when a cell is interrupted, and says so', async () => {
    await cell('kept = "kept"')
    const stopped = await cell('import time\nwhile True:\n    time.sleep(60)', 300)
    expect(stopped.status).toBe('timeout')
    expect(codesOf(stopped)).toEqual(['state-kept', 'timeout'])
    expect((await cell('kept')).results[0]?.data).toEqual({ 'text/plain': "'kept'" })
  })

  test('restores variables when a cell ends Python, and says so', async () => {
    const ended = await cell('import os\nos._exit(3)')
    expect(ended).toMatchObject({ status: 'error', exitCode: 3 })
    expect(codesOf(ended)).toEqual(['state-restored'])
    expect(await cell('"kept" in globals()')).toMatchObject({
      notices: [],
      results: [{ data: { 'text/plain': 'True' } }],
    })
  })

  test('runs other languages beside it, which do not end it', async () => {
    await cell('x = 1\nopen("from-python", "w").close()')
    expect(await cell('ls; (sleep 60 &) ; echo done', 20_000, 'sh')).toMatchObject({
      stdout: 'from-python\ndone\n',
    })
    expect((await cell('x')).results[0]?.data).toEqual({ 'text/plain': '1' })
  })
})
