import { readFile } from 'node:fs/promises'
import type { CodeResult } from '@fenced/core'
import type { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { run } from './support.ts'

/** The beginnings of files, by which anybody knows what they are. */
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47])
const jpeg = Buffer.from([0xff, 0xd8, 0xff])

async function onlyFile({ files }: CodeResult): Promise<{ path: string; content: Buffer }> {
  expect(files).toHaveLength(1)
  const [file] = files
  return { path: file?.absolutePath ?? '', content: await readFile(file?.absolutePath ?? '') }
}

describeBothWays(
  (create) => {
    let executor: JupyterCodeExecutor
    beforeAll(async () => {
      executor = create()
      await executor.start()
    })
    afterAll(() => executor.stop())

    test('a plot is a PNG file that the output names, and data', async () => {
      const result = await run(executor, 'import matplotlib.pyplot as plt', 'plt.plot([1, 2])', 'plt.show()')
      const { path, content } = await onlyFile(result)
      expect(path).toMatch(/\.png$/)
      expect(content.subarray(0, 4)).toEqual(png)
      expect(result.output).toBe(`Image data saved to ${path}\n`)
      expect(Object.keys(result.blocks[0]?.results[0]?.data ?? {}).sort()).toEqual([
        'image/png',
        'text/plain',
      ])
    })

    test('a program that a cell starts is not told to print colors', async () => {
      const { output } = await run(executor, '!echo "[$FORCE_COLOR$CLICOLOR$CLICOLOR_FORCE]" $NO_COLOR $TERM')
      expect(output).toBe('[] 1 dumb\n')
    })

    test('a plot that is shown by the end of its cell is saved once', async () => {
      const result = await run(executor, 'plt.plot([3, 1])', 'None')
      await onlyFile(result)
      expect(result.blocks[0]?.results).toHaveLength(1)
    })

    test('a JPEG and an SVG are what they are', async () => {
      await run(executor, 'from IPython.display import *', 'import io')
      const photo = await run(
        executor,
        'figure = plt.figure()',
        'buffer = io.BytesIO()',
        "figure.savefig(buffer, format='jpeg')",
        'plt.close(figure)',
        "display(Image(buffer.getvalue(), format='jpeg'))",
      )
      const jpg = await onlyFile(photo)
      expect([jpg.path.slice(-4), jpg.content.subarray(0, 3)]).toEqual(['.jpg', jpeg])
      const drawing = await onlyFile(
        await run(executor, 'SVG(\'<svg xmlns="http://www.w3.org/2000/svg"/>\')'),
      )
      expect([drawing.path.slice(-4), drawing.content.toString()]).toEqual([
        '.svg',
        '<svg xmlns="http://www.w3.org/2000/svg"/>',
      ])
    })

    test('a table is text for the model and HTML in a file', async () => {
      const result = await run(executor, 'import pandas as pd', "pd.DataFrame({'größe': [1, 2]})")
      const { path, content } = await onlyFile(result)
      expect(result.output).toBe(`   größe\n0      1\n1      2\nHTML data saved to ${path}\n`)
      expect(content.toString()).toContain('<th>größe</th>')
    })

    test.each<[code: string, extension: string, content: RegExp]>([
      ["Markdown('# é')", '.md', /^# é$/],
      ["Latex('$x^2$')", '.tex', /x\^2/],
      ["JSON({'a': [1, None]})", '.json', /^\{"a":\[1,null\]\}\n$/],
      ["HTML('<b>é</b>')", '.html', /^<b>é<\/b>$/],
      ["display({'application/pdf': 'JVBERi0='}, raw=True)", '.pdf', /^%PDF-$/],
    ])('%s is saved as %s', async (code, extension, expected) => {
      const { path, content } = await onlyFile(await run(executor, 'from IPython.display import *', code))
      expect(path.endsWith(extension)).toBe(true)
      expect(content.toString()).toMatch(expected)
    })

    test('a type that nobody knows is data, and does not flood the model', async () => {
      const result = await run(
        executor,
        "display({'application/vnd.plot.v1+json': {'x': [0] * 10_000}}, raw=True)",
      )
      expect(result.files).toEqual([])
      expect(result.output.length).toBeLessThan(200)
      expect(result.blocks[0]?.results.map(({ data }) => data)).toEqual([
        { 'application/vnd.plot.v1+json': { x: Array(10_000).fill(0) } },
      ])
    })

    test('the value of the last line says so, with the number of its cell', async () => {
      const { blocks } = await run(
        executor,
        "display('shown')",
        'from IPython.display import HTML',
        "HTML('<b>7</b>')",
      )
      const [shown, value] = blocks[0]?.results ?? []
      expect(shown).toEqual({ kind: 'display', data: { 'text/plain': "'shown'" } })
      expect(value).toMatchObject({
        kind: 'value',
        data: { 'text/html': '<b>7</b>' },
        executionCount: expect.any(Number),
      })
    })

    test('a display that is updated is one result', async () => {
      const result = await run(
        executor,
        "handle = display('one', display_id=True)",
        "handle.update('two')",
        "print('end')",
        'for i in range(20): handle.update(i)',
      )
      expect(result.blocks[0]?.results.map(({ data }) => data)).toEqual([{ 'text/plain': '19' }])
      expect(result.output).toBe('19\nend\n')
      const later = await run(executor, "handle.update('three')")
      expect(later.blocks[0]?.results.map(({ data }) => data)).toEqual([{ 'text/plain': "'three'" }])
    })

    test('a widget is one result with its last state', async () => {
      const widget = [
        'from IPython.display import display',
        'class Bar:',
        '    value = 0',
        '    def _repr_mimebundle_(self, **kwargs):',
        '        view = {"model_id": "bar", "version_major": 2, "version_minor": 0}',
        '        return {"text/plain": f"{self.value}/30", "application/vnd.jupyter.widget-view+json": view}',
        'bar = Bar()',
        'display(bar)',
        'for bar.value in range(31): pass',
      ]
      const result = await run(executor, ...widget, 'print("end")')
      expect(result.blocks[0]?.results.map((each) => each.data['text/plain'])).toEqual(['30/30'])
      expect(result.output).toBe('30/30\nend\n')
      expect((await run(executor, 'bar')).output).toBe('30/30\n')
    })

    test('two displays with one id are two results and two files, and an update changes both', async () => {
      const twice = "display(HTML('<b>one</b>'), display_id='k')\ndisplay(HTML('<b>two</b>'), display_id='k')"
      const shown = await run(executor, 'from IPython.display import HTML, update_display', twice, 'None')
      expect(shown.blocks[0]?.results.map((each) => each.data['text/html'])).toEqual([
        '<b>one</b>',
        '<b>two</b>',
      ])
      expect(shown.files).toHaveLength(2)
      const updated = await run(executor, twice, "update_display('three', display_id='k')")
      expect(updated.blocks[0]?.results.map(({ data }) => data)).toEqual(
        Array(2).fill({ 'text/plain': "'three'" }),
      )
    })

    test('output that is cleared is not in the result', async () => {
      const loop = 'for i in range(3):\n    clear_output(wait=True)\n    print(i)'
      await run(executor, 'from IPython.display import clear_output')
      expect(await run(executor, loop)).toMatchObject({ output: '2\n', blocks: [{ stdout: '2\n' }] })
      expect((await run(executor, "print('a')", 'clear_output()', "print('b')")).output).toBe('b\n')
      expect((await run(executor, "print('a')", 'clear_output(wait=True)')).output).toBe('a\n')
    })

    test('both streams, results and errors come in their order', async () => {
      const result = await run(
        executor,
        'import sys',
        "print('out', flush=True)",
        "print('err', file=sys.stderr, flush=True)",
        "display('shown')",
        'raise ValueError("late")',
      )
      expect(result.output).toMatch(/^out\nerr\n'shown'\n-+\nValueError[\s\S]*ValueError: late\n$/)
    })

    test('a secret that both streams spell in turn is not in `output`; each stream is searched for itself', async () => {
      await using careful = create({ redact: ['hunter2-geheim'] })
      const result = await run(
        careful,
        'import sys',
        "print('hunter2-', end='', flush=True)",
        "print('geheim', file=sys.stderr, flush=True)",
        "print('hunter2-', end='', flush=True)",
        "print('geheim', flush=True)",
      )
      expect(result).toMatchObject({
        output: '[redacted]\n[redacted]\n',
        blocks: [{ stdout: 'hunter2-[redacted]\n', stderr: 'geheim\n' }],
      })
    })

    test('a picture of a cell that fails later is kept', async () => {
      const result = await run(executor, 'plt.plot([5, 6])', 'plt.show()', '1 / 0')
      expect(result.status).toBe('error')
      await onlyFile(result)
    })
  },
  {
    isolated: true,
    rows: rowTags({ all: ['a table ', 'a plot ', 'a picture ', 'a JPEG '], nightly: ['in bubblewrap'] }),
  },
)
