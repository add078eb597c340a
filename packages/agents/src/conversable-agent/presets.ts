import { type ConversableAgentOptions, type HumanInputMode, withPresets } from '../agent/agent-options.ts'
import { codeWriterSystemMessage } from '../agent/code-instructions.ts'
import { noExecutorReply } from '../reply/generate-code-execution-reply.ts'
import { ConversableAgent } from './conversable-agent.ts'

/** A {@link ConversableAgent} that writes code but does not run it. No person speaks for it. */
export class AssistantAgent extends ConversableAgent {
  static override readonly provider: string = 'AssistantAgent'
  /**
   * The model's system message unless `systemMessage` replaces it. In a conversation, the model also reads a description of its
   * own or its partner's executor: languages, whether variables persist, network access, and packages.
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

const descriptions: Readonly<Record<HumanInputMode, string>> = {
  always: 'A person who follows the conversation closely, and has Python and a shell to run code with.',
  terminate: 'A user who runs Python and shell code, and speaks only when needed.',
  never: 'A computer that only runs Python and shell code.',
}

/**
 * A {@link ConversableAgent} that speaks for a person, and runs code if it has an executor. It does not need Docker: without
 * `codeExecutionConfig`, it runs nothing, and its reply to code says so.
 */
export class UserProxyAgent extends ConversableAgent {
  static override readonly provider: string = 'UserProxyAgent'

  constructor(options: ConversableAgentOptions) {
    super(
      withPresets(options, ({ systemMessage, description, humanInputMode = 'always' }) => ({
        humanInputMode,
        systemMessage: systemMessage ?? '',
        description: description ?? descriptions[humanInputMode],
      })),
    )
    // Behind all others, so that a model or a function of the user's own goes first.
    if (options.codeExecutionConfig === undefined) {
      this.registerReply(() => true, noExecutorReply, { position: Number.POSITIVE_INFINITY })
    }
  }
}
