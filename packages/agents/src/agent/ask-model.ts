import type { ReplyChat } from '../chat/chat-context.ts'
import type { ModelClient } from '../model/model-client.ts'
import type { ModelReply, ModelRequest } from '../model/model-request.ts'
import { withModelEvents } from '../model/with-model-events.ts'
import type { Agent } from './agent.ts'
import { internalsOf } from './agent-internals.ts'

/** Asks an agent's model in a conversation: its tokens become events, and its usage counts for both. */
export function askModel(
  { agent, model, chat }: { readonly agent: Agent; readonly model: ModelClient; readonly chat: ReplyChat },
  request: ModelRequest,
): Promise<ModelReply> {
  const { usage } = internalsOf(agent)
  const addUsage: ReplyChat['addUsage'] = (modelId, used) => {
    usage.add(modelId, used)
    chat.addUsage(modelId, used)
  }
  return withModelEvents({ agent: agent.name, run: chat, addUsage }, (options) => model.ask(request, options))
}
