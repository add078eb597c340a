import type { Response, ResponseItem } from './chat-agent.ts'

/** What an agent tells on its way to a response. */
export type AgentItem = Exclude<ResponseItem, Response | { type: 'events-dropped' }>
