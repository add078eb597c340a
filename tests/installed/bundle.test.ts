import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { describe, expect, inject, it } from 'vitest'
import { command } from './command.ts'
import { environment, python } from './needs.ts'
import { Project } from './project.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)

const program = `
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
async function run() {
  const executor = new LocalCommandLineCodeExecutor()
  const add = { description: 'Adds.', inputSchema: { type: 'object' }, execute: ({ left, right }) => left + right }
  const blocks = [
    { language: 'python', code: 'print(6 * 7)' },
    { language: 'python', code: 'from tools import add\\nprint(add(left=6, right=7))' },
    { language: 'javascript', code: 'console.log(8)' },
    { language: 'sh', code: 'echo 9' },
  ]
  const { output } = await executor.execute(blocks, { tools: { add } })
  console.log(output.split(/\\s+/).join(' '))
  await executor.stop()
}
run()
`

/** A bundle of ES modules has no `require`, which a dependency calls. */
const banner =
  "--banner:js=import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"

describe.skipIf(registry.missing || python.missing)('one file of a program and all that it imports', () => {
  it.each([
    { format: 'esm', name: 'bundle.mjs', more: [banner] },
    { format: 'cjs', name: 'bundle.cjs', more: [] },
  ])('made by esbuild as $format runs blocks where nothing is installed', async ({ format, name, more }) => {
    await using project = await Project.create()
    await project.install(['@fenced/executor-local', 'esbuild'])
    await project.write('program.js', program)
    const options = ['--bundle', '--platform=node', `--format=${format}`, `--outfile=${name}`, ...more]
    const build = ['npx', 'esbuild', 'program.js', ...options] as const
    await command(build, { cwd: project.path })
    const empty = await mkdtemp(join(tmpdir(), 'fenced-bundle-'))
    try {
      await rename(join(project.path, name), join(empty, name))
      const output = await command([process.execPath, name], { cwd: empty, env: environment })
      expect(output.trim()).toBe('42 13 8 9')
    } finally {
      await rm(empty, { recursive: true, force: true })
    }
  })
})
