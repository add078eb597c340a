import type { PackageManager } from './project.ts'

/** A place where users run Fenced. */
export interface Place {
  readonly name: string
  readonly group:
    | 'Runtime'
    | 'Package manager'
    | 'Bundler'
    | 'Framework'
    | 'Test runner'
    | 'Process'
    | 'System'
  /** @default npm */
  readonly manager?: PackageManager
  /** Packages installed beside `@fenced/executor-local`, in exact versions. */
  readonly packages?: readonly string[]
  readonly files: Readonly<Record<string, string>>
  /** Shell command whose output contains the version. @default node --version */
  readonly version?: string
  /** Shell lines that build and run the files. `$EMPTY` is an empty directory. */
  readonly commands: readonly string[]
  /** Expected output of the last command. */
  readonly prints: RegExp
  /** What the machine needs, apart from Python. */
  readonly needs?: 'bubblewrap' | 'docker' | 'jupyter'
  /** @default runs */
  readonly result?: string
  /** Reason why no test runs this place. */
  readonly notRun?: string
}

/** Prints the version of an installed package. */
export const versionOf = (name: string) =>
  `node -p "JSON.parse(fs.readFileSync('node_modules/${name}/package.json')).version"`

/** Blocks of three languages, one of which calls a tool. */
const program = `
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
const blocks = [
  { language: 'python', code: 'print(6 * 7)' },
  { language: 'python', code: 'from tools import add\\nprint(add(left=6, right=7))' },
  { language: 'javascript', code: 'console.log(8)' },
  { language: 'sh', code: 'echo done' },
]
const add = { description: 'Adds.', inputSchema: { type: 'object' }, execute: ({ left, right }) => left + right }
async function run() {
  const executor = new LocalCommandLineCodeExecutor()
  try {
    for await (const event of executor.execute(blocks, { tools: { add } })) {
      if (event.type === 'stdout') process.stdout.write(event.text)
    }
  } finally {
    await executor.stop()
  }
}
export const done = run()
`

const test = `
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
test('a block', async () => {
  const executor = new LocalCommandLineCodeExecutor()
  const { output } = await executor.execute([{ language: 'python', code: 'print(6 * 7)' }])
  await executor.stop()
  if (output !== '42\\n') throw new Error(output)
})
`

const files: Readonly<Record<string, string>> = {
  'block.mjs': program,
  'worker.mjs': `
import { isMainThread, Worker } from 'node:worker_threads'
if (isMainThread) new Worker(new URL(import.meta.url))
else await import('./block.mjs')
`,
  'cluster.mjs': `
import cluster from 'node:cluster'
if (cluster.isPrimary) cluster.fork()
else {
  const { done } = await import('./block.mjs')
  await done
  cluster.worker.disconnect()
}
`,
  'block.test.mjs': test,
  'node.test.mjs': `import test from 'node:test'${test}`,
  'webpack.config.mjs': `
export default {
  mode: 'production',
  target: 'node',
  entry: './block.mjs',
  experiments: { outputModule: true },
  output: { path: \`\${process.cwd()}/out\`, filename: 'webpack.mjs', module: true, chunkFormat: 'module' },
}
`,
}

/** What a place has that runs `block.mjs`. */
export const block = { files, prints: /^42\n13\n8\ndone\n$/ }
