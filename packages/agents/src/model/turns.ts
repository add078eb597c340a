import type { AssistantContent, ModelMessage, TextPart, ToolResultPart, UserContent } from 'ai'

export type UserPart = Exclude<UserContent, string>[number]
export type AssistantPart = Exclude<AssistantContent, string>[number]

type Turn =
  | { readonly role: 'user'; readonly parts: UserPart[] }
  | { readonly role: 'assistant'; readonly parts: AssistantPart[] }
  | { readonly role: 'tool'; readonly content: ToolResultPart[] }

const emptyMessage = '(empty message)'
const beginning = '(The conversation begins.)'

/**
 * Messages for a model, put together so that every provider takes them: user and model take turns, the user begins, and
 * no text is empty.
 */
export class Turns {
  readonly #turns: Turn[] = []

  /** Messages of the user in a row become one. An empty one is marked as such, unless there is another beside it. */
  addUser(parts: readonly UserPart[]): void {
    const said = parts.filter(saysSomething)
    const last = this.#turns.at(-1)
    if (last?.role === 'user') last.parts.push(...said)
    else this.#turns.push({ role: 'user', parts: said })
  }

  /** Answers of the model in a row become one. An empty one is left out. */
  addAssistant(parts: readonly AssistantPart[]): void {
    const said = parts.filter(saysSomething)
    if (said.length === 0) return
    const last = this.#turns.at(-1)
    if (last?.role === 'assistant') last.parts.push(...said)
    else this.#turns.push({ role: 'assistant', parts: said })
  }

  addToolResults(content: ToolResultPart[]): void {
    this.#turns.push({ role: 'tool', content })
  }

  toMessages(): ModelMessage[] {
    const messages = this.#turns.map(modelMessage)
    return messages[0]?.role === 'user' ? messages : [{ role: 'user', content: beginning }, ...messages]
  }
}

/** An empty text with something for its provider says something to it. */
function saysSomething(part: UserPart | AssistantPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '' || part.providerOptions !== undefined
}

function modelMessage(turn: Turn): ModelMessage {
  switch (turn.role) {
    case 'tool':
      return turn
    case 'user':
      return { role: 'user', content: contentOf(turn.parts) ?? emptyMessage }
    case 'assistant':
      return { role: 'assistant', content: contentOf(turn.parts) ?? '' }
  }
}

/** Plain texts in a row become one, and what is nothing else a text: some servers take no parts. */
export function contentOf<Part extends UserPart | AssistantPart>(
  parts: readonly Part[],
): string | (Part | TextPart)[] | undefined {
  const joined: (Part | TextPart)[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (isPlainText(last) && isPlainText(part)) {
      joined.splice(-1, 1, { type: 'text', text: `${last.text}\n\n${part.text}` })
    } else joined.push(part)
  }
  const [first] = joined
  return joined.length > 1 || (first !== undefined && !isPlainText(first)) ? joined : first?.text
}

function isPlainText(part: { readonly type: string } | undefined): part is TextPart {
  return part?.type === 'text' && !('providerOptions' in part)
}
