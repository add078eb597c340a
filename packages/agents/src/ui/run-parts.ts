import type { AgentEvent } from '../event.ts'
import { CodeParts } from './code-parts.ts'
import { QuestionParts, TextParts, ToolParts } from './message-parts.ts'
import type { WriteChunk } from './ui-message.ts'

/** The events of a run as the parts of one message. */
export class RunParts {
  readonly #write: WriteChunk
  readonly #text: TextParts
  readonly #tools: ToolParts
  readonly #code: CodeParts
  readonly #questions: QuestionParts
  /** The agent of the event that is read, if any, and of the last part. */
  #agent = ''
  #namedAgent = ''

  constructor(write: WriteChunk) {
    this.#write = write
    const named: WriteChunk = (chunk) => {
      this.#nameAgent()
      write(chunk)
    }
    this.#text = new TextParts(named)
    this.#tools = new ToolParts(named)
    this.#code = new CodeParts(named)
    this.#questions = new QuestionParts(named)
  }

  add(event: AgentEvent): void {
    this.#agent = event.agent
    if (!isDuringText(event)) this.#text.end(event.agent)
    this.#addParts(event)
    this.#agent = ''
  }

  /** Ends everything that is open, except questions of a run that waits for their answers. */
  end(isWaiting = false): void {
    this.#text.endAll()
    this.#code.cancelAll()
    if (!isWaiting) this.#questions.withdrawAll()
  }

  #addParts(event: AgentEvent): void {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.#text.add(event)
        break
      case 'message':
        this.#text.message(event)
        break
      case 'response':
        this.#text.message({ ...event, message: event.response.message })
        break
      case 'code':
        this.#code.add(event)
        break
      case 'code-end':
        this.#code.end(event)
        break
      case 'tool-start':
        this.#tools.start(event)
        break
      case 'tool-output':
        this.#tools.output(event)
        break
      case 'tool-end':
        this.#tools.end(event)
        break
      case 'notice': {
        const { code, message } = event.notice
        this.#write({ type: 'data-notice', data: { code, message } })
        break
      }
      case 'model-fallback':
        this.#write({ type: 'data-notice', data: { code: event.type, message: event.message } })
        break
      default:
        this.#addQuestion(event)
    }
  }

  #addQuestion(event: AgentEvent): void {
    switch (event.type) {
      case 'approval-requested':
      case 'human-input-requested':
        this.#questions.ask(event)
        break
      case 'approval-answered':
        this.#questions.answer(event.requestId, event.answer.decision)
        break
      case 'human-input-answered':
        this.#questions.answer(event.requestId, 'answer')
        break
      case 'approval-withdrawn':
        this.#questions.withdraw(event.requestId)
        break
      default:
    }
  }

  #nameAgent(): void {
    if (this.#agent === this.#namedAgent || this.#agent === '') return
    this.#namedAgent = this.#agent
    this.#write({ type: 'data-agent', data: { name: this.#agent } })
  }
}

/** Events that arrive in the middle of an answer. */
function isDuringText({ type }: AgentEvent): boolean {
  return type === 'text-delta' || type === 'reasoning-delta' || type === 'usage'
}
