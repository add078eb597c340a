import type { ReplyChat } from '../chat/chat-context.ts'
import type { ModelClient } from '../model/model-client.ts'
import type { ModelReply, ModelRequest } from '../model/model-request.ts'
import { internalsOf } from './agent-internals.ts'
import type { ConversableAgent } from './conversable-agent.ts'

/** Asks an agent's model in a conversation: its tokens become events, and its usage counts for both. */
export function askModel(
  {
    agent,
    model,
    chat,
  }: { readonly agent: ConversableAgent; readonly model: ModelClient; readonly chat: ReplyChat },
  request: ModelRequest,
): Promise<ModelReply> {
  const { usage } = internalsOf(agent)
  return model.ask(request, {
    signal: chat.signal,
    onEvent: (event) => {
      if (event.type === 'usage') {
        usage.add(event.modelId, event.usage)
        chat.addUsage(event.modelId, event.usage)
      }
      return chat.emit({ type: 'model', agent: agent.name, event })
    },
  })
}
