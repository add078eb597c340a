import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Place, versionOf } from './where-place.ts'

const examples = join(import.meta.dirname, '../../examples')
const programs = filesBelow(join(import.meta.dirname, 'programs'))
const example = (name: string) => filesBelow(join(examples, 'frameworks', name))
const textOf = (path: string) => readFileSync(join(examples, path), 'utf8')

/** A route for `useChat`, and a model that has its answers ready. */
const route = textOf('ai-sdk/web-response.ts')
const model = { 'scripted-provider.ts': textOf('ai-sdk/scripted-provider.ts') }
const chat = ['ai@7.0.173', 'zod@4.6.7']

/** Runs a server with that model, and asks it as `useChat` does. */
const ask = 'NODE_OPTIONS="--import $PWD/scripted-provider.ts" node serve.mjs ask-chat.mjs'
const chatPrints = /^streamed\nThe program says: 1\n2\n3\n$/

const nextFiles: Readonly<Record<string, string>> = {
  ...programs,
  ...model,
  ...example('next'),
  'app/api/chat/route.ts': route,
  // A build fails if a package has a module that the bundler cannot include.
  'app/api/executors/route.ts': `
import { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { KubernetesCommandLineCodeExecutor } from '@fenced/executor-kubernetes'
export const dynamic = 'force-dynamic'
export const GET = () =>
  Response.json([DockerCommandLineCodeExecutor, JupyterCodeExecutor, KubernetesCommandLineCodeExecutor].map(String))
`,
  'next.config.mjs': 'export default { output: process.env.NEXT_OUTPUT }\n',
}

const nextPackages = [
  ...chat,
  ...['@ai-sdk/react@4.0.177', 'react@19.3.1', 'react-dom@19.3.1'],
  ...['typescript@6.0.3', '@types/node@24.19.2', '@types/react@19.3.0'],
  ...['@fenced/executor-docker', '@fenced/executor-jupyter', '@fenced/executor-kubernetes'],
]

interface NextBuild {
  readonly version: string
  readonly bundler: string
  /** Of `next build` and `next dev`; without a flag, the default of the version. */
  readonly flag: string
}

/** The three ways in which Next.js runs an application. */
function nextPlaces({ version, bundler, flag }: NextBuild): readonly Place[] {
  const name = `Next.js ${version.split('.')[0]}, ${bundler}`
  const place = {
    group: 'Framework',
    packages: [`next@${version}`, ...nextPackages],
    files: nextFiles,
    version: versionOf('next'),
    prints: chatPrints,
    needs: 'bubblewrap',
  } as const
  const build = `next build ${flag}`
  return [
    { ...place, name: `${name}, development`, commands: [`${ask} next dev -H 127.0.0.1 ${flag}`] },
    { ...place, name: `${name}, start`, commands: [build, `${ask} next start -H 127.0.0.1`] },
    {
      ...place,
      name: `${name}, standalone`,
      commands: [
        `NEXT_OUTPUT=standalone ${build}`,
        `cp -r .next/standalone/. "$EMPTY" && ${ask} node "$EMPTY/server.js"`,
      ],
    },
  ]
}

const nextBuilds: readonly NextBuild[] = [
  { version: '16.4.6', bundler: 'Turbopack', flag: '' },
  { version: '16.4.6', bundler: 'webpack', flag: '--webpack' },
  { version: '15.5.29', bundler: 'Turbopack', flag: '--turbopack' },
  { version: '15.5.29', bundler: 'webpack', flag: '' },
]

const svelteFiles: Readonly<Record<string, string>> = {
  ...programs,
  ...model,
  'vite.config.js': `
import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'
export default { plugins: [sveltekit({ adapter: adapter() })] }
`,
  'src/app.html':
    '<!doctype html><html lang="en"><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n',
  'src/routes/+page.svelte': '<p>Fenced</p>\n',
  'src/lib/web-response.ts': route,
  'src/routes/api/chat/+server.ts': `
import { POST as answer } from '../../../lib/web-response'
export const POST = ({ request }) => answer(request)
`,
}

export const frameworks: readonly Place[] = [
  ...nextBuilds.flatMap(nextPlaces),
  {
    name: 'SvelteKit 3, adapter-node',
    group: 'Framework',
    packages: [
      ...chat,
      ...['@sveltejs/kit@3.2.0', '@sveltejs/adapter-node@6.0.1', '@sveltejs/vite-plugin-svelte@7.3.1'],
      ...['svelte@5.57.3', 'vite@8.3.8'],
    ],
    version: versionOf('@sveltejs/kit'),
    files: svelteFiles,
    commands: ['vite build', `${ask} node build/index.js`],
    prints: chatPrints,
    needs: 'bubblewrap',
  },
  {
    name: 'Nitro 2',
    group: 'Framework',
    packages: ['nitropack@2.13.6'],
    version: versionOf('nitropack'),
    files: {
      ...programs,
      ...example('nitro'),
      'nitro.config.mjs': `export default { compatibilityDate: '2026-01-01' }\n`,
    },
    commands: [
      'nitropack build',
      'cp -r .output/server/. "$EMPTY" && node serve.mjs ask-run.mjs node "$EMPTY/index.mjs"',
    ],
    prints: /^streamed\n1\n2\n3\n$/,
    needs: 'bubblewrap',
  },
  {
    name: 'Worker thread in TypeScript',
    group: 'Process',
    packages: ['@types/node@24.19.2'],
    files: example('worker'),
    commands: ['node main.ts'],
    prints: /^42\ndone\n$/,
    needs: 'bubblewrap',
  },
]

/** Texts of the files in a directory, by relative path. */
function filesBelow(directory: string): Readonly<Record<string, string>> {
  const names = globSync('**/*.{mjs,ts,tsx,json}', { cwd: directory })
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), 'utf8')]))
}
