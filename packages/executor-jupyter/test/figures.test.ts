// @module-tag all

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CodeResult } from '@fenced/core'
import { rowTags } from '@fenced/testing'
import { expect, onTestFinished, test } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { run } from './support.ts'

const draw = ['import matplotlib.pyplot as plt', 'plt.plot([1, 3, 2])']

/** The types of each result. */
const types = ({ blocks }: CodeResult) => blocks[0]?.results.map((each) => Object.keys(each.data).sort())
const picture = ['image/png', 'text/plain']

describeBothWays(
  (create) => {
    test('figures are saved after they were shown, shown once, and left out where they are empty', async () => {
      const workDir = mkdtempSync(join(tmpdir(), 'fenced-test-'))
      onTestFinished(() => rmSync(workDir, { recursive: true }))
      await using executor = create({ workDir })
      const content = (name: string) => readFileSync(join(workDir, `${name}.png`))
      await run(executor, ...draw, 'plt.savefig("before.png"); plt.close()')
      const saves = ['plt.savefig("after.png"); plt.gcf().savefig("again.png")']
      expect(types(await run(executor, draw[1] ?? '', 'plt.show()', ...saves))).toEqual([picture])
      for (const name of ['after', 'again']) expect(content(name)).toEqual(content('before'))
      await run(executor, 'plt.savefig("next-cell.png"); plt.close()')
      expect(content('next-cell')).toEqual(content('before'))
      await run(executor, 'plt.figure(); plt.savefig("empty.png"); plt.close()')
      expect(content('empty')).not.toEqual(content('before'))

      expect(types(await run(executor, draw[1] ?? '', 'plt.gcf().show()'))).toEqual([picture])
      const empty = await run(executor, 'plt.figure(); figure, axes = plt.subplots(2, 2); plt.figure()')
      expect([types(empty), empty.output.includes('<Figure')]).toEqual([[picture], false])
    })

    test.each([
      'import matplotlib; matplotlib.use("Agg")',
      'import matplotlib; matplotlib.rcParams["backend"] = "agg"',
      'import matplotlib.pyplot as plt; plt.switch_backend("AGG")',
    ])('a program that chooses Agg has its figures: %s', async (choose) => {
      await using executor = create()
      const result = await run(executor, choose, ...draw, 'plt.show()', ...draw, 'None')
      expect(types(result)).toEqual([picture, picture])
      expect(types(await run(executor, ...draw, 'None'))).toEqual([picture])
    })

    test('a figure of a backend that shows none is a picture where it is a value', async () => {
      await using executor = create()
      const chosen = await run(executor, 'import matplotlib; matplotlib.use("pdf")', ...draw, 'plt.gcf()')
      expect([types(chosen), chosen.output.includes('<Figure')]).toEqual([[picture], false])
    })
  },
  {
    rows: rowTags({ nightly: ['of a server', 'rcParams', 'switch_backend', 'of a backend that shows none'] }),
  },
)
