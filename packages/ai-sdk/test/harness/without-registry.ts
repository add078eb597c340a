import type { HarnessV1Bootstrap as Bootstrap, HarnessV1 as Harness } from '@ai-sdk/harness'
import { build } from 'esbuild'

/**
 * A harness whose bridge comes into the sandbox as one file: what it imports is in it, and no package manager has to reach a
 * registry from there. The agent's own file comes along.
 *
 * @param agent - the path from the agent's folder in the sandbox, and the source.
 */
export function withoutRegistry(
  harness: Harness,
  agent: { readonly path: string; readonly content: string },
): Harness {
  return { ...harness, getBootstrap: async (options) => inOneFile(await given(harness, options), agent) }
}

async function given(harness: Harness, options: Parameters<NonNullable<Harness['getBootstrap']>>[0]) {
  const recipe = await harness.getBootstrap?.(options)
  if (recipe === undefined) throw new Error(`The harness ${harness.harnessId} has no recipe.`)
  return recipe
}

async function inOneFile(
  recipe: Bootstrap,
  agent: { readonly path: string; readonly content: string },
): Promise<Bootstrap> {
  const bridge = `${recipe.bootstrapDir}/bridge.mjs`
  const implementation = `${recipe.bootstrapDir}/implementation`
  const kept = recipe.files.filter(({ path }) => path.startsWith(`${implementation}/`))
  const source = recipe.files.find(({ path }) => path === bridge)?.content ?? ''
  return {
    ...recipe,
    files: [
      ...kept,
      { path: bridge, content: await bundled(source) },
      { path: `${implementation}/${agent.path}`, content: agent.content },
    ],
    // What this one installs is in the file now.
    commands: recipe.commands.filter(({ command }) => !command.startsWith('pnpm install ')),
  }
}

async function bundled(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'js' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    write: false,
    logLevel: 'silent',
    // For what is no ES module in it.
    banner: {
      js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
    },
  })
  return outputFiles[0]?.text ?? ''
}
