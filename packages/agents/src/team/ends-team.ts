import { extractCodeBlocks } from '@fenced/core'
import { languageId, languages } from '@fenced/core/internal'
import { endsWithTermination } from '../message/termination.ts'

/**
 * Whether what an agent says is its last word. Code is run before that: who runs it hears that it is the end, and is the
 * one to end it.
 */
export function endsTeam(content: string): boolean {
  return endsWithTermination({ role: 'assistant', content }) && !holdsProgram(content)
}

function holdsProgram(content: string): boolean {
  return extractCodeBlocks(content).some(({ language }) => {
    const id = languageId(language)
    return languages.some((row) => row.id === id && row.kind === 'run')
  })
}
