import { type ConversableAgentOptions, withPresets } from './agent-options.ts'
import { codeWriterSystemMessage } from './code-writer-system-message.ts'
import { ConversableAgent } from './conversable-agent.ts'

/** A {@link ConversableAgent} that writes code and runs none: no person speaks for it. */
export class AssistantAgent extends ConversableAgent {
  static override readonly provider: string = 'AssistantAgent'
  /**
   * The system message of its model unless `systemMessage` says otherwise. In a conversation it also reads what its executor is, or its
   * partner's: languages, whether variables stay, network, packages.
   */
  static readonly defaultSystemMessage: string = codeWriterSystemMessage

  constructor(options: ConversableAgentOptions) {
    super(
      withPresets(options, ({ systemMessage, description, humanInputMode }) => ({
        humanInputMode: humanInputMode ?? 'never',
        systemMessage: systemMessage ?? codeWriterSystemMessage,
        description: description ?? systemMessage ?? ownDescription,
      })),
    )
  }
}

const ownDescription = 'An assistant that solves tasks with code and with words, and runs nothing itself.'
