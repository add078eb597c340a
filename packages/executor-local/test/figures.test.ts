// @module-tag all

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodeResult } from '@fenced/core'
import { requirement, rowTags } from '@fenced/testing'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '../src/index.ts'
import { bubblewrap } from './requirements.ts'

const python = process.env.FENCED_TEST_JUPYTER ?? ''
const matplotlib = requirement('jupyter', problem())

function problem(): string | undefined {
  try {
    execFileSync(join(python, 'bin/python'), ['-c', 'import matplotlib'])
    return undefined
  } catch {
    return 'FENCED_TEST_JUPYTER names no virtual environment that has Matplotlib.'
  }
}

/** Executors with this share one interpreter, which imports Matplotlib once. */
const imported = { warm: { preload: ['matplotlib.pyplot'] } } as const

const draw = 'import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\n'

describe.skipIf(matplotlib.missing)('figures of Matplotlib', { timeout: 120_000 }, () => {
  let workDir: string

  beforeEach(async () => {
    workDir = await mkdtemp(join(tmpdir(), 'fenced-figures-'))
  })

  afterEach(() => rm(workDir, { recursive: true, force: true }))

  const executor = (options: LocalExecutorOptions = {}) =>
    new LocalCommandLineCodeExecutor({ python, workDir, timeoutMs: 60_000, ...options })

  async function run(code: string, options: LocalExecutorOptions = {}): Promise<CodeResult> {
    await using place = executor(options)
    return await place.execute([{ language: 'python', code }])
  }

  /** Widths and heights of the pictures, from the header of each PNG. */
  function sizes({ blocks }: CodeResult): string[] {
    return (blocks[0]?.results ?? []).map((result) => {
      const picture = Buffer.from(String(result.data['image/png']), 'base64')
      expect(picture.subarray(1, 4).toString()).toBe('PNG')
      return `${picture.readUInt32BE(16) > 100} ${picture.readUInt32BE(20) > 100}`
    })
  }

  describe.each([
    ['an interpreter of its own', { warm: false }],
    ['a fork', { warm: {} }],
    ['a fork that has it imported', imported],
  ] as const)('of %s', rowTags({ nightly: [{ except: [': shown'] }, 'shown by itself'] }), (_, options) => {
    it.each([
      ['shown', `${draw}plt.show()\nprint("behind")`],
      ['left open', `${draw}print("behind")`],
      ['shown by itself', `${draw}plt.gcf().show()\nplt.close()\nprint("behind")`],
      ['left open by an exception', `${draw}print("behind")\nraise SystemExit`],
      ['in another directory', `${draw}import os; os.mkdir("d"); os.chdir("d"); plt.show(); print("behind")`],
    ])('are results, and files: %s', async (__, code) => {
      const result = await run(code, options)
      expect(result).toMatchObject({ status: 'ok' })
      expect(sizes(result)).toEqual(['true true'])
      expect(result.files).toEqual([
        {
          path: expect.stringMatching(/^result-[0-9a-f]{16}\.png$/),
          absolutePath: expect.stringContaining(workDir),
          sizeBytes: expect.any(Number),
          change: 'created',
        },
      ])
      const [file] = result.files
      expect(result.output).toBe(`behind\nImage data saved to ${file?.absolutePath}\n`)
      expect((await readFile(file?.absolutePath ?? '')).toString('base64')).toBe(
        result.blocks[0]?.results[0]?.data['image/png'],
      )
      const names = await readdir(workDir)
      expect(names.filter((name) => name !== 'd')).toEqual([file?.path])
    })
  })

  it('are as many as the program shows, in order, each once', async () => {
    const code = `import matplotlib.pyplot as plt
for width in (4, 6):
    plt.figure(figsize=(width, 3))
    plt.plot([1, 2])
plt.show()
plt.show()
plt.figure(figsize=(8, 3))
plt.plot([1, 2])`
    const { blocks } = await run(code, imported)
    const widths = (blocks[0]?.results ?? []).map((result) =>
      Buffer.from(String(result.data['image/png']), 'base64').readUInt32BE(16),
    )
    expect(widths).toHaveLength(3)
    expect(widths).toEqual(widths.toSorted((a, b) => a - b))
  })

  it('are left out when the program saves them itself, or closes them', async () => {
    const saved = await run(`${draw}plt.savefig("mine.png")\nplt.show()`, imported)
    expect(saved.blocks[0]?.results).toEqual([])
    expect(saved.files.map(({ path }) => path)).toEqual(['mine.png'])
    const other = await run(`${draw}plt.savefig("mine.svg")`, imported)
    expect(other.files.map(({ path }) => path)).toEqual(['mine.svg'])
    expect((await run(`${draw}plt.close()`, imported)).blocks[0]?.results).toEqual([])
  })

  it('can be saved after they were shown, as with the plain backend', async () => {
    const saves = `${draw}plt.title("shown")
plt.show()
plt.savefig("one.png"); plt.gcf().savefig("two.png")
plt.plot([3, 1]); plt.savefig("next.png"); plt.close()
plt.figure(); plt.savefig("empty.png")`
    const plain = `${draw}plt.title("shown")
plt.savefig("plain.png")
plt.close()
plt.plot([3, 1]); plt.savefig("plain-next.png"); plt.close()
plt.figure(); plt.savefig("plain-empty.png")`
    const ours = await run(saves, imported)
    expect(ours.blocks[0]?.results).toEqual([])
    await run(plain, { figures: false })
    const content = (name: string) => readFile(join(workDir, `${name}.png`))
    for (const name of ['one', 'two']) expect(await content(name)).toEqual(await content('plain'))
    for (const name of ['next', 'empty']) expect(await content(name)).toEqual(await content(`plain-${name}`))
  })

  it('are results once for one state, and not where they are empty', async () => {
    const shown = await run(`${draw}figure = plt.gcf(); figure.show(); figure.show(); plt.show()`, imported)
    expect(sizes(shown)).toEqual(['true true'])
    const changed = await run(`${draw}plt.gcf().show(); plt.title("changed"); plt.show()`, imported)
    expect(sizes(changed)).toEqual(['true true', 'true true'])
    const empty = await run(`${draw}plt.close(); plt.figure(); plt.figure().subfigures(2)`, imported)
    expect(empty.blocks[0]?.results).toEqual([])
    const text = await run(`${draw}plt.close(); plt.figure().text(0, 0, "only")`, imported)
    expect(text.blocks[0]?.results).toHaveLength(1)
  })

  it('have a notice where the program chooses a backend that shows none', async () => {
    const agg = `import matplotlib\nmatplotlib.use("Agg")\n${draw}`
    const shown = await run(`${agg}plt.show()`, { warm: false })
    expect(shown.blocks[0]).toMatchObject({
      results: [],
      notices: [{ code: 'figures-not-shown', data: { backend: 'Agg' } }],
    })
    for (const code of [`${agg}plt.savefig("mine.png"); plt.show()`, agg])
      expect((await run(code, imported)).blocks[0]?.notices).toEqual([])
  })

  it('have a notice where there are more than 50', async () => {
    const many = (count: number) => `import matplotlib.pyplot as plt
for _ in range(${count}):
    plt.figure(figsize=(1, 1)).text(0, 0, "a")
    plt.show()`
    const { blocks } = await run(many(52), imported)
    expect(blocks[0]?.results).toHaveLength(50)
    expect(blocks[0]?.notices).toMatchObject([{ code: 'figures-not-shown', data: { limit: '50' } }])
    expect((await run(many(50), imported)).blocks[0]).toMatchObject({ notices: [] })
  })

  describe.each(bubblewrap.missing ? (['none'] as const) : (['none', 'bubblewrap'] as const))(
    'of a session: %s',
    (isolation) => {
      const codesOf = ({ blocks }: CodeResult) => blocks[0]?.notices.map(({ code }) => code)

      it('are results, however many they are, also behind the end of the output', async () => {
        await using place = executor({ isolation, stateful: true, maxOutputBytes: 1_000 })
        const cell = (code: string) => place.execute([{ language: 'python', code }])
        const shown = await cell(`${draw}print("x" * 5_000)`)
        expect(sizes(shown)).toEqual(['true true'])
        expect(shown.blocks[0]?.stdout.length).toBeLessThan(5_000)
        const small =
          'plt.rcParams["figure.max_open_warning"] = 0\nfor number in range(60): plt.figure(figsize=(2, 2)).text(0, 0, str(number))'
        const many = await cell(small)
        expect(many.blocks[0]?.results).toHaveLength(60)
        expect(codesOf(many)).toEqual([])
      })

      it('have a notice while the backend that a cell chose shows none', async () => {
        await using place = executor({ isolation, stateful: true })
        const codes = async (code: string) => codesOf(await place.execute([{ language: 'python', code }]))
        expect(await codes(`import matplotlib\nmatplotlib.use("Agg")\n${draw}`)).toEqual([])
        expect(await codes('plt.show()')).toEqual(['figures-not-shown'])
        expect(await codes('plt.savefig("mine.png"); plt.show()')).toEqual([])
        expect(await codes('plt.close("all"); plt.show()')).toEqual([])
      })
    },
  )

  /** Each line begins with a figure of its own. */
  const each = (lines: readonly string[]) =>
    `import io, os\n${draw}plt.close()\n${lines.map((line) => `plt.figure().gca().plot([1, 3, 2]); ${line}\n`).join('')}plt.show()`

  it('are results where no file of the directory shows them as they are', async () => {
    const shown = [
      'plt.savefig(io.BytesIO())',
      'plt.savefig(elsewhere + ".png")',
      'plt.savefig("removed.png"); os.remove("removed.png")',
      'plt.savefig("1.png"); plt.plot([3, 1])',
      'plt.savefig("2.png"); plt.gca().lines[0].set_color("red")',
      'plt.savefig("3.png"); plt.title("changed"); plt.savefig(io.BytesIO())',
    ]
    const folder = await mkdtemp(join(tmpdir(), 'fenced-elsewhere-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const elsewhere = JSON.stringify(join(folder, 'figure'))
    const result = await run(`elsewhere = ${elsewhere}\n${each(shown)}`, imported)
    expect(result).toMatchObject({ status: 'ok' })
    expect(sizes(result)).toEqual(shown.map(() => 'true true'))
  })

  it('are left out where a file of the directory shows them as they are', async () => {
    const saved = [
      'plt.savefig("1.png", transparent=True, dpi=50)',
      'plt.savefig("2")',
      'file = open("3.png", "wb"); plt.gcf().savefig(file); file.close()',
      'plt.gcf().set_layout_engine("constrained"); plt.savefig("4.png")',
      'plt.savefig("5.png"); plt.savefig(io.BytesIO(), bbox_inches="tight")',
      'os.chdir("charts"); plt.savefig("../6.png")',
    ]
    const result = await run(`# filename: charts/chart.py\n${each(saved)}`, imported)
    expect(result).toMatchObject({ status: 'ok', output: '' })
    expect(result.blocks[0]?.results).toEqual([])
    expect(result.files.map(({ path }) => path).sort()).toEqual(saved.map((_, index) => `${index + 1}.png`))
  })

  it('are results of a block that fails, too', { tags: 'nightly' }, async () => {
    const result = await run(`${draw}plt.show()\n1 / 0`, imported)
    expect(result.status).toBe('error')
    expect(result.output).toContain('ZeroDivisionError')
    expect(result.output).not.toContain('fenced_figures')
    expect(sizes(result)).toEqual(['true true'])
  })

  it('come from a program whose first line names a file, and from one in a directory', {
    tags: 'nightly',
  }, async () => {
    for (const name of ['chart.py', 'charts/chart.py']) {
      const result = await run(`# filename: ${name}\n${draw}plt.show()`, imported)
      expect(sizes(result)).toEqual(['true true'])
    }
    expect((await readdir(workDir)).sort()).toEqual([
      'chart.py',
      'charts',
      expect.stringMatching(/^result-.*\.png$/),
    ])
    expect(await readdir(join(workDir, 'charts'))).toEqual(['chart.py'])
  })

  it('a program that is stopped leaves none of our files', async () => {
    await using place = executor()
    const controller = new AbortController()
    const code = `${draw}plt.show()\nimport time; print("shown", flush=True); time.sleep(600)`
    const execution = place.execute([{ language: 'python', code }], { signal: controller.signal })
    for await (const { type } of execution) if (type === 'stdout') controller.abort()
    const result = await execution
    expect(result.status).toBe('cancelled')
    expect(sizes(result)).toEqual(['true true'])
    expect(await readdir(workDir)).toEqual([expect.stringMatching(/^result-.*\.png$/)])
  })

  it('what a program puts in the place of a picture is not read', async () => {
    await writeFile(join(workDir, 'secret'), 'secret')
    await symlink(join(workDir, 'secret'), join(workDir, 'link'))
    await mkdir(join(workDir, 'directory'))
    const code = `import os
# import matplotlib
name = os.environ["MPLBACKEND"].removeprefix("module://")
os.rename("link", name + "-1.png")
open(name + "-2.png", "w").write("no picture")
os.rename("directory", name + "-3.png")
os.mkfifo(name + "-4.png")`
    const result = await run(code)
    expect(result).toMatchObject({ status: 'ok', output: '' })
    expect(result.blocks[0]?.results).toEqual([])
    expect(await readFile(join(workDir, 'secret'), 'utf8')).toBe('secret')
  })

  it('switched off: a program finds the plain backend, and nothing of ours', async () => {
    const code = `${draw}import matplotlib, os
print(matplotlib.get_backend().lower(), os.environ["MPLBACKEND"], sorted(os.listdir(".")) == [os.path.basename(__file__)])`
    for (const options of [{ figures: false }, { env: { MPLBACKEND: 'Agg' } }]) {
      const result = await run(code, options)
      expect(result.output).toBe('agg Agg True\n')
      expect(result.files).toEqual([])
    }
  })

  it('a program that does not draw finds nothing of ours', async () => {
    const code = `import os
print(os.environ["MPLBACKEND"], os.listdir(".") == [os.path.basename(__file__)])`
    expect((await run(code)).output).toBe('Agg True\n')
  })

  it('a Python that the program starts elsewhere has the plain backend', { tags: 'nightly' }, async () => {
    const code = `${draw}import subprocess, sys
print(subprocess.run([sys.executable, "-c", "import matplotlib.pyplot as plt; plt.plot([1]); print(plt.get_backend().lower())"], cwd="/", capture_output=True, text=True).stdout)`
    const result = await run(code)
    expect(result.output).toMatch(/^agg\n/)
    expect(sizes(result)).toEqual(['true true'])
  })

  it.skipIf(bubblewrap.missing)('come out of bubblewrap', async () => {
    expect(sizes(await run(`${draw}plt.show()`, { isolation: 'bubblewrap' }))).toEqual(['true true'])
  })
})
