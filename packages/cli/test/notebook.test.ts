// @module-tag all

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FencedCommand, fenced } from './command.ts'
import { bubblewrap, docker, image, jupyter, jupyterPython } from './requirements.ts'

const code = (id: string, source: string | string[]) => ({
  cell_type: 'code',
  execution_count: 9,
  id,
  metadata: {},
  outputs: [{ name: 'stdout', output_type: 'stream', text: 'of another run' }],
  source,
})

function notebookOf(...cells: object[]) {
  const kernelspec = { display_name: 'Mine', language: 'python', name: 'of-another-machine' }
  return { cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 }
}

async function directoryWith(notebook: object): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'fenced-notebook-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await writeFile(join(directory, 'in.ipynb'), JSON.stringify(notebook))
  return directory
}

async function ran(notebook: object, ...options: string[]) {
  const directory = await directoryWith(notebook)
  const [input, output] = [join(directory, 'in.ipynb'), join(directory, 'out.ipynb')]
  const ended = await fenced(['notebook', input, '-o', output, '--python', jupyterPython, ...options])
  const text = await readFile(output, 'utf8')
  return { ...ended, directory, output, text, written: JSON.parse(text) }
}

describe.skipIf(jupyter.missing)('fenced notebook', () => {
  it('writes outputs as Jupyter reads them, and leaves all else as it is', async () => {
    const title = { cell_type: 'markdown', id: 'a', metadata: { mine: 1 }, source: ['# Title'] }
    const given = notebookOf(
      title,
      code('b', ['x = 6\n', 'print(x)\n', 'x * 7']),
      code(
        'c',
        'from IPython.display import HTML, display\ndisplay(HTML("<b>x</b>"))\nprint(open("in.ipynb").read(1))',
      ),
      code('d', ' \n'),
    )
    const { code: exitCode, stdout, stderr, directory, output, text, written } = await ran(given)
    expect([exitCode, stdout, stderr]).toEqual([0, '', ''])
    expect(text.startsWith('{\n "cells": [\n  {\n   "cell_type": "markdown",\n   "id": "a"')).toBe(true)
    expect(written).toEqual({
      ...given,
      cells: [
        title,
        {
          ...given.cells[1],
          execution_count: 1,
          outputs: [
            { output_type: 'stream', name: 'stdout', text: '6\n' },
            {
              output_type: 'execute_result',
              execution_count: 1,
              data: { 'text/plain': '42' },
              metadata: {},
            },
          ],
        },
        {
          ...given.cells[2],
          execution_count: 2,
          outputs: [
            {
              output_type: 'display_data',
              data: { 'text/html': '<b>x</b>', 'text/plain': expect.any(String) },
              metadata: {},
            },
            { output_type: 'stream', name: 'stdout', text: '{\n' },
          ],
        },
        { ...given.cells[3], execution_count: null, outputs: [] },
      ],
    })
    expect((await readdir(directory)).sort()).toEqual(['in.ipynb', 'out.ipynb'])
    const check = 'import nbformat, sys; nbformat.validate(nbformat.read(sys.argv[1], 4))'
    execFileSync(jupyterPython, ['-c', check, output])
  })

  it('ends at the cell that fails, or runs the others, too', { tags: 'nightly' }, async () => {
    const given = notebookOf(code('z', 'x = 1'), code('a', '1/0'), code('b', 'print("behind")'))
    const ended = await ran(given)
    expect(ended.code).toBe(1)
    expect(ended.stderr.split('\n').filter((line) => line !== '')).toEqual([
      expect.stringMatching(/^fenced: Cell 2 .*exit code 1 \(ZeroDivisionError: division by zero\)/),
      expect.stringMatching(/^fenced: 1 of 3 .*--allow-errors/),
      `fenced: ${ended.output} was written.`,
    ])
    // The cell has the same number everywhere.
    expect(ended.text).toContain('"Cell In[2], line 1"')
    expect(ended.written.cells[1].execution_count).toBe(2)
    expect(ended.written.cells.slice(1)).toMatchObject([
      { outputs: [{ output_type: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero' }] },
      given.cells[2],
    ])
    const all = await ran(given, '--allow-errors')
    expect(all.code).toBe(1)
    expect(all.written.cells[2]).toMatchObject({ execution_count: 3, outputs: [{ text: 'behind\n' }] })
  })

  it('keeps what a cell shows: more than 16 MiB, metadata, and an error of several lines', {
    tags: 'nightly',
  }, async () => {
    const shows = [
      'from IPython.display import HTML',
      'display(HTML("<!-- " + "x" * 17 * 2 ** 20 + " -->"))',
      'display({"text/plain": "x"}, raw=True, metadata={"text/plain": {"width": 10}})',
      'import sys; print("before", file=sys.stderr); raise ValueError("a\\nb c")',
    ]
    const { code: exitCode, written } = await ran(notebookOf(code('a', shows.join('\n'))))
    expect(exitCode).toBe(1)
    const [html, plain, before, error] = written.cells[0].outputs
    expect(html.data['text/html']).toHaveLength(17 * 2 ** 20 + 9)
    expect(plain).toMatchObject({ data: { 'text/plain': 'x' }, metadata: { 'text/plain': { width: 10 } } })
    expect(before).toEqual({ output_type: 'stream', name: 'stderr', text: 'before\n' })
    expect(error).toMatchObject({ output_type: 'error', ename: 'ValueError', evalue: 'a\nb c' })
    expect(written.cells[0].outputs).toHaveLength(4)
  })

  it('gives what a thread prints after the end of its cell to that cell, also to the last one', {
    tags: 'nightly',
  }, async () => {
    const late = (text: string) =>
      `import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.5), print("${text}"))).start()`
    const { code: exitCode, written } = await ran(notebookOf(code('a', late('one')), code('b', late('two'))))
    expect(exitCode).toBe(0)
    const outputs = ['one', 'two'].map((text) => [
      { output_type: 'stream', name: 'stdout', text: `${text}\n` },
    ])
    expect(written.cells.map((cell: { outputs: unknown }) => cell.outputs)).toEqual(outputs)
  })

  it('keeps numbers that JavaScript cannot hold', { tags: 'nightly' }, async () => {
    const metadata = '"metadata":{"id":9007199254740993,"limit":1e400,"ratio":1.0}'
    const cell = `{"cell_type":"markdown","id":"a",${metadata},"source":"# Title"}`
    const input = `{"cells":[${cell}],"metadata":{},"nbformat":4,"nbformat_minor":5}`
    const { stdout } = await fenced(['notebook', '-', '-o', '-', '--python', jupyterPython], { input })
    expect(stdout.replaceAll(/\s/g, '')).toContain(metadata)
  })

  it('says in the cell that its time has passed', { tags: 'nightly' }, async () => {
    const { code: exitCode, written } = await ran(
      notebookOf(code('a', 'import time\ntime.sleep(600)')),
      '--timeout',
      '1',
    )
    expect(exitCode).toBe(124)
    expect(written.cells[0].outputs.at(-1)).toMatchObject({ output_type: 'error', ename: 'timeout' })
  })

  it('writes what there is when it is stopped', async () => {
    const cells = [code('a', 'print("first")'), code('b', 'open("begun", "w"); import time; time.sleep(600)')]
    const directory = await directoryWith(notebookOf(...cells))
    const output = join(directory, 'out.ipynb')
    const args = ['notebook', join(directory, 'in.ipynb'), '-o', output, '--python', jupyterPython]
    const command = new FencedCommand(args)
    while (!(await readdir(directory)).includes('begun')) {
      expect(command.child.exitCode).toBe(null)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    command.child.kill('SIGINT')
    expect((await command.ended).code).toBe(130)
    const written = JSON.parse(await readFile(output, 'utf8'))
    expect(written.cells[0].outputs).toEqual([{ output_type: 'stream', name: 'stdout', text: 'first\n' }])
  })
})

describe('where the cells of a notebook run', () => {
  it.skipIf(jupyter.missing || bubblewrap.missing)(
    'is bubblewrap with --isolation, in the directory of --work-dir',
    { tags: 'nightly' },
    async () => {
      const source =
        'import os\nos.getcwd(), os.path.exists(os.path.expanduser("~/.ssh")), open("given.txt").read()'
      const directory = await directoryWith(notebookOf(code('a', source)))
      const workDir = join(directory, 'work')
      await mkdir(workDir)
      await writeFile(join(workDir, 'given.txt'), 'given')
      const options = ['--isolation', 'bubblewrap', '--work-dir', workDir, '--python', jupyterPython]
      const ended = await fenced(['notebook', join(directory, 'in.ipynb'), ...options])
      expect(ended).toMatchObject({ code: 0, stdout: '' })
      const written = JSON.parse(await readFile(join(directory, 'in.out.ipynb'), 'utf8'))
      expect(written.cells[0].outputs[0].data['text/plain']).toBe(`('${workDir}', False, 'given')`)
    },
  )

  it.skipIf(docker.missing)('is a container with --executor docker', { tags: 'nightly' }, async () => {
    const input = JSON.stringify(notebookOf(code('a', 'import six, os\nos.getcwd()')))
    const args = ['notebook', '-', '--executor', 'docker', '--image', image, '--packages', 'six']
    const { code: exitCode, stdout } = await fenced(args, { input })
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout).cells[0].outputs[0].data['text/plain']).toBe("'/workspace'")
  })

  it.each([
    ['--packages', 'six'],
    ['--executor', 'docker', '--python', 'python3'],
    ['--executor', 'docker', '--isolation', 'bubblewrap'],
  ])('is refused for options that do not belong together: %s', async (...options) => {
    const input = JSON.stringify(notebookOf(code('a', '1')))
    const { code: exitCode, stdout, stderr } = await fenced(['notebook', '-', ...options], { input })
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^fenced: --\w+ cannot be used here\. Use --executor (docker|jupyter)/)
  })
})

it('--stateful is refused, because a kernel always keeps variables', { tags: 'nightly' }, async () => {
  const { code: exitCode, stderr } = await fenced(['notebook', '-', '--stateful'], {
    input: JSON.stringify(notebookOf(code('a', ['x = 1']))),
  })
  expect([exitCode, stderr]).toEqual([
    2,
    'fenced: --stateful cannot be used here. Remove it: the kernel always keeps variables.\n',
  ])
})

describe('a file that is no notebook', { tags: 'nightly' }, () => {
  it.each([['# Markdown'], ['{"nbformat":3,"metadata":{},"worksheets":[]}']])(
    'is refused: %s',
    async (input) => {
      const { code: exitCode, stdout, stderr } = await fenced(['notebook', '-', '-o', '-'], { input })
      expect([exitCode, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/^fenced: .+\n/)
    },
  )
})
