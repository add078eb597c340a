import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, defaultClientConditions } from 'vite'

const root = fileURLToPath(new URL('../page/', import.meta.url))
const target = join(root, 'dist')
const sharedText = new URL('../../errors/src/text.ts', import.meta.url)

/** Builds the page if its sources are newer, in a temporary folder: several programs may build at the same time. */
export async function buildPage(): Promise<void> {
  if (changedAt() <= builtAt()) return
  const folder = fileURLToPath(new URL('../node_modules/.page/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const made = join(folder, `${process.pid}`)
  await buildInto(made)
  const old = `${made}-old`
  try {
    // Another program may have been first: its page is read already, and stays.
    if (changedAt() > builtAt()) {
      if (builtAt() > 0) renameSync(target, old)
      renameSync(made, target)
    }
  } finally {
    for (const path of [old, made]) rmSync(path, { recursive: true, force: true })
  }
}

async function buildInto(outDir: string): Promise<void> {
  const { NODE_ENV } = process.env
  // Vite reads the mode from there: in tests it differs, and React would include its development checks.
  process.env.NODE_ENV = 'production'
  try {
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      // What the page shares with other packages is read from their sources.
      resolve: { conditions: ['@fenced/source', ...defaultClientConditions] },
      build: {
        outDir,
        emptyOutDir: true,
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        license: { fileName: 'licenses.md' },
      },
      oxc: { jsx: { runtime: 'automatic' } },
    })
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
}

/** Of the page, of the text of `@fenced/core` that is a part of it, and of this script. */
function changedAt(): number {
  const files = [fileURLToPath(sharedText), import.meta.filename]
  return Math.max(newestIn(root), ...files.map((file) => statSync(file).mtimeMs))
}

function builtAt(): number {
  return statSync(join(target, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function newestIn(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'dist' && name !== 'node_modules')
    .map((entry) =>
      entry.isDirectory() ? newestIn(join(folder, entry.name)) : statSync(join(folder, entry.name)).mtimeMs,
    )
  return Math.max(0, ...entries)
}

if (import.meta.main) await buildPage()
