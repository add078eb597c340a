import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Bench, compare, type Row, Skipped, scratchDirectory } from './measure.ts'
import { bareProcess } from './processes.ts'

const command = join(import.meta.dirname, '../packages/cli/bin/fenced.js')

interface Call {
  readonly name: string
  readonly args: readonly string[]
  /** How many times as long as an empty program of Node it may take. */
  readonly goal: number
}

/** The command, started again for each call, beside a Node that does nothing. */
export const commandBench: Bench = async ({ rounds = 15 }) => {
  if (!existsSync(join(dirname(command), '../dist')))
    throw new Skipped('The command is not built. Run `npx -y pnpm build`.')
  await using scratch = await scratchDirectory()
  const file = async (name: string, text: string) => {
    const path = join(scratch.path, name)
    await writeFile(path, text)
    return path
  }
  const sh = await file('sh.md', '```sh\necho 1\n```\n')
  const python = await file('python.md', '```python\nprint(1)\n```\n')
  const calls: readonly Call[] = [
    { name: 'fenced --version', args: ['--version'], goal: 2.5 },
    { name: 'fenced extract', args: ['extract', sh], goal: 4 },
    { name: 'fenced run, sh in bubblewrap', args: ['run', sh], goal: 6 },
    { name: 'fenced run, Python in bubblewrap', args: ['run', python], goal: 6 },
    { name: 'fenced run, sh without isolation', args: ['run', '--isolation', 'none', sh], goal: 6 },
  ]
  const rows: Row[] = []
  for (const { name, args, goal } of calls) {
    const { ours, node } = await compare({
      rounds,
      warmUpRounds: 2,
      contenders: {
        ours: () => bareProcess(process.execPath, [command, ...args]),
        node: () => bareProcess(process.execPath, ['-e', '0']),
      },
    })
    const ratio = ours.p50 / node.p50
    rows.push({
      measured: `\`${name}\` ÷ \`node -e 0\``,
      unit: 'ms',
      rounds,
      ours,
      reference: node,
      ratio,
      goal: `≤ ${goal}`,
      met: ratio <= goal,
    })
  }
  return rows
}
