import type { AgentEvent } from '../event.ts'
import type { ToolCall, ToolResponse } from '../message/tool-parts.ts'
import type { WriteChunk } from './chunk.ts'
import { pictureUrl } from './pictures.ts'

interface OfCall extends Pick<AgentEvent, 'agent'> {
  readonly call: ToolCall
}

/** Tool calls. Models number their calls, so each call has an id of this stream. */
export class ToolParts {
  readonly #write: WriteChunk
  readonly #ids = new Map<string, string>()

  constructor(write: WriteChunk) {
    this.#write = write
  }

  start({ agent, call }: OfCall): string {
    // A call that needed an answer starts again.
    const toolCallId = this.#ids.get(keyOf({ agent, call })) ?? crypto.randomUUID()
    this.#ids.set(keyOf({ agent, call }), toolCallId)
    const { name: toolName, input } = call
    this.#write({ type: 'tool-input-available', toolCallId, toolName, input, dynamic: true })
    return toolCallId
  }

  output({ agent, call, output }: OfCall & { readonly output: unknown }): void {
    const toolCallId = this.#ids.get(keyOf({ agent, call })) ?? this.start({ agent, call })
    this.#write({ type: 'tool-output-available', toolCallId, output, dynamic: true, preliminary: true })
  }

  end({ agent, call, response }: OfCall & { readonly response: ToolResponse }): void {
    const toolCallId = this.#ids.get(keyOf({ agent, call })) ?? this.start({ agent, call })
    this.#ids.delete(keyOf({ agent, call }))
    const { content, isError, pictures = [] } = response
    if (isError === true)
      this.#write({ type: 'tool-output-error', toolCallId, errorText: content, dynamic: true })
    else this.#write({ type: 'tool-output-available', toolCallId, output: content, dynamic: true })
    for (const { mediaType, data } of pictures)
      this.#write({ type: 'data-picture', id: crypto.randomUUID(), data: pictureUrl(mediaType, data) })
  }
}

function keyOf({ agent, call }: OfCall): string {
  return JSON.stringify([agent, call.id])
}
