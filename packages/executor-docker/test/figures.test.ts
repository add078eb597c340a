import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { requirement, rowTags } from '@fenced/testing'
import { describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { printed, python } from './blocks.ts'
import { docker } from './requirements.ts'

const environment = process.env.FENCED_TEST_JUPYTER ?? ''
const pictures = requirement('jupyter', docker.missing ? undefined : await problem())

/** Matplotlib is compiled for one version of Python: that of this machine has to be the image's. */
async function problem(): Promise<string | undefined> {
  const which = 'import sys; print(*sys.version_info[:2])'
  try {
    const code = `import matplotlib; ${which}`
    const here = execFileSync(join(environment, 'bin/python'), ['-c', code], { encoding: 'utf8' })
    await using executor = new DockerCommandLineCodeExecutor({ image: 'fenced-test/python' })
    const inside = await printed(executor, python(which))
    return here === inside ? undefined : `its Python is ${here.trim()}, and the image's ${inside.trim()}`
  } catch (error) {
    return `FENCED_TEST_JUPYTER names no virtual environment that has Matplotlib (${error})`
  }
}

const chart = python(
  'import matplotlib.pyplot as plt',
  'plt.plot([1, 3, 2])',
  'plt.show()',
  'plt.figure(figsize=(3, 2))',
  'plt.plot([1, 2])',
)

const rows = rowTags({ nightly: ['bind, warm: true', 'copy, warm: false'] })

describe.skipIf(docker.missing || pictures.missing)('figures of Matplotlib', { timeout: 120_000 }, () => {
  const packages = packagesOfEnvironment()

  it.each(
    (['bind', 'copy'] as const).flatMap((workDirMode) =>
      [true, false].map((warm) => ({ workDirMode, warm })),
    ),
  )('come out of a container: $workDirMode, warm: $warm', rows, async ({ workDirMode, warm }) => {
    await using executor = new DockerCommandLineCodeExecutor({
      image: 'fenced-test/python',
      timeoutMs: 60_000,
      volumes: [{ source: packages, target: '/packages', readOnly: true }],
      env: { PYTHONPATH: '/packages', MPLCONFIGDIR: '/tmp' },
      ...{ workDirMode, warm },
    })
    for (let round = 0; round < 2; round++) {
      const result = await executor.execute([chart])
      expect(result).toMatchObject({ status: 'ok' })
      const shown = result.blocks[0]?.results ?? []
      expect(shown).toHaveLength(2)
      for (const each of shown) {
        expect(Buffer.from(String(each.data['image/png']), 'base64').subarray(1, 4).toString()).toBe('PNG')
      }
      expect(result.files.map(({ path, change }) => `${change} ${path}`)).toEqual(
        Array(2).fill(expect.stringMatching(round === 0 ? /^created result-/ : /^changed result-/)),
      )
      const ours = python('import os', 'print([name for name in os.listdir() if "figures" in name])')
      expect(await printed(executor, ours)).toBe('[]\n')
    }
  })
})

function packagesOfEnvironment(): string {
  if (pictures.missing) return ''
  const code = 'import matplotlib, os; print(os.path.dirname(os.path.dirname(matplotlib.__file__)))'
  return execFileSync(join(environment, 'bin/python'), ['-c', code], { encoding: 'utf8' }).trim()
}
