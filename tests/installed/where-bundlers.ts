import { bun } from './runtimes.ts'
import { block, type Place, versionOf } from './where-place.ts'

const packages = [
  'esbuild@0.28.2',
  'rolldown@1.3.2',
  'rollup@4.68.8',
  '@rollup/plugin-node-resolve@16.0.3',
  '@rollup/plugin-commonjs@29.0.3',
  '@rollup/plugin-json@6.1.0',
  'webpack@5.113.0',
  'webpack-cli@7.3.1',
  'vite@8.3.8',
]
const bundler = { ...block, group: 'Bundler', packages } as const

/** A bundle of ES modules has no `require`, which a dependency calls. */
const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)"
const esbuild = 'esbuild block.mjs --bundle --platform=node'

/** Runs a bundle in a directory where nothing is installed. */
const runAlone = (file: string) => `cp out/${file} "$EMPTY" && cd "$EMPTY" && node ${file}`

/** Each bundler includes all packages, except in the rows that leave the packages external. */
export const bundlers: readonly Place[] = [
  {
    ...bundler,
    name: 'esbuild, ES module',
    version: versionOf('esbuild'),
    commands: [
      `${esbuild} --format=esm --outfile=out/esbuild.mjs --banner:js="${banner}"`,
      runAlone('esbuild.mjs'),
    ],
  },
  {
    ...bundler,
    name: 'esbuild, CommonJS',
    version: versionOf('esbuild'),
    commands: [`${esbuild} --format=cjs --outfile=out/esbuild.cjs`, runAlone('esbuild.cjs')],
  },
  {
    ...bundler,
    name: 'esbuild, packages external',
    version: versionOf('esbuild'),
    commands: [
      `${esbuild} --format=esm --packages=external --outfile=out/external.mjs`,
      'node out/external.mjs',
    ],
  },
  {
    ...bundler,
    name: 'rolldown',
    version: versionOf('rolldown'),
    commands: ['rolldown block.mjs --platform node --file out/rolldown.mjs', runAlone('rolldown.mjs')],
  },
  {
    ...bundler,
    name: 'rollup',
    version: versionOf('rollup'),
    commands: [
      `rollup block.mjs --plugin 'node-resolve={exportConditions:["node"]}' --plugin commonjs --plugin json --file out/rollup.mjs`,
      runAlone('rollup.mjs'),
    ],
  },
  {
    ...bundler,
    name: 'rollup, packages external',
    version: versionOf('rollup'),
    commands: [
      'rollup block.mjs --external @fenced/executor-local --file out/rollup-external.mjs',
      'node out/rollup-external.mjs',
    ],
  },
  {
    ...bundler,
    name: 'webpack',
    version: versionOf('webpack'),
    commands: ['webpack', runAlone('webpack.mjs')],
  },
  {
    ...bundler,
    name: 'Vite, SSR build',
    version: versionOf('vite'),
    commands: ['vite build --ssr block.mjs --outDir out/ssr', 'node out/ssr/block.js'],
  },
  {
    ...block,
    group: 'Bundler',
    name: 'bun build --compile',
    version: `${bun.join(' ')} --version`,
    commands: [
      `${bun.join(' ')} build block.mjs --compile --outfile out/block`,
      'cp out/block "$EMPTY" && cd "$EMPTY" && ./block',
    ],
  },
]
