import type { HumanInput } from '@fenced/agents'
import { type CodeExecutor, FencedError } from '@fenced/core'
import { toldRestorations } from '@fenced/core/internal'
import { note } from '../run/output-printer.ts'

/** Lets a person who types `undo` undo the last program. The model reads what was undone. */
export function undoInput(person: HumanInput, { session }: CodeExecutor): HumanInput {
  if (session === undefined) return person
  return {
    async ask(request, options) {
      for (;;) {
        const text = await person.ask(request, options)
        if (text.trim() !== 'undo') return text
        try {
          const restored = await session.undo()
          toldRestorations.add(restored)
          const undone = restored.notices.map(({ message }) => message).join('\n')
          await note(undone)
          return undone
        } catch (error) {
          if (!FencedError.isInstance(error)) throw error
          await note(error.message)
        }
      }
    },
  }
}
