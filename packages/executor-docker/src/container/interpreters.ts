import type { Language, Notice } from '@fenced/core'
import type { ContainerFacts } from './probe.ts'

/** What runs a language where its own interpreter is not there: small images have no bash. */
const substitutes: Readonly<Record<string, readonly (readonly string[])[]>> = { bash: [['sh']] }

/** How a language is run in a container; without a command, when nothing there can. */
export interface FoundInterpreter {
  readonly command?: readonly string[]
  readonly notice?: Notice
}

/** The programs that any of the languages may need. */
export function interpreterNames(languages: readonly Language[]): string[] {
  return [...new Set(languages.flatMap((language) => candidates(language).map(([name = '']) => name)))]
}

export function findInterpreter(language: Language, { programs }: ContainerFacts): FoundInterpreter {
  const all = candidates(language)
  const index = all.findIndex(([name = '']) => programs.has(name))
  const [name = '', ...args] = all[index] ?? []
  if (index === -1) return { notice: noInterpreter(language, programs) }
  const command = [programs.get(name) ?? name, ...args]
  const isSubstitute = index >= (language.commands?.length ?? 0)
  return isSubstitute ? { command, notice: substituted(language, name) } : { command }
}

function candidates({ id, commands = [] }: Language): readonly (readonly string[])[] {
  return [...commands, ...(substitutes[id] ?? [])]
}

function substituted({ id }: Language, name: string): Notice {
  return { code: 'interpreter-substituted', message: `The image has no ${id}, so ${name} runs this block.` }
}

function noInterpreter(language: Language, programs: ReadonlyMap<string, string>): Notice {
  const wanted = candidates(language).map(([name = '']) => name)
  const others = programs.size === 0 ? '' : ` It has ${[...programs.keys()].join(', ')}.`
  return {
    code: 'no-interpreter',
    message: `The image has no interpreter for ${language.id}: ${wanted.join(' or ')} was looked for.${others} Choose another \`image\`.`,
  }
}
