import type { CodeBlock } from '@fenced/markdown'
import type { Notice } from '../../vocabulary/code-result.ts'
import type { EngineContext } from '../engine-context.ts'

/** Most names that are kept for an executor. */
const maxNames = 1_000

/** The searched part of a label or a line, in UTF-16 code units. */
const maxSearched = 500

const names = new WeakMap<EngineContext, Set<string>>()

/**
 * Keeps the Python files that a block names in its label (`title="a.py"`), in the line above its fence, or in a first line
 * that is a comment with nothing but the name.
 */
export function keepNamedModules(
  engine: EngineContext,
  { info = '', code, fileAbove = '' }: CodeBlock,
): void {
  const firstLine = code.slice(0, maxSearched).split('\n', 1)[0] ?? ''
  const [comment = ''] = /^# *(?:file(?:name)?:? *)?[\w./-]+\.py *:?$/i.exec(firstLine) ?? []
  const searched = [info, fileAbove, comment].map((text) => text.slice(0, maxSearched)).join('\n')
  const kept = names.get(engine) ?? new Set()
  names.set(engine, kept)
  for (const [, name = ''] of searched.matchAll(/\b(\w+)\.py\b/g)) if (kept.size < maxNames) kept.add(name)
}

/**
 * Returns a notice for a missing module whose file is in the answer, else `undefined`. No package of that name is suggested or
 * installed: an attacker could have published it.
 */
export function namedModuleNotice(engine: EngineContext, module: string): Notice | undefined {
  const [name = ''] = module.split('.')
  if (names.get(engine)?.has(name) !== true) return undefined
  return {
    code: 'module-not-saved',
    message: `The module ${module} was not found. A block is named ${name}.py, but it was not saved where Python looks for it. Write \`# filename: ${name}.py\` on the first line of that block, and send it again.`,
    data: { module, path: `${name}.py` },
  }
}
