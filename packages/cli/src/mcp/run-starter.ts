import type { CodeExecutor } from '@fenced/core'
import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server'
import type { Approvals, Question } from './approval.ts'
import { RunningCall } from './running-call.ts'
import { Run, type Runs } from './runs.ts'
import { type SandboxInput, sandboxNotOpen, type ToolSandboxes } from './tool-sandboxes.ts'

/** Work that can take longer than a call. */
interface RunWork {
  /** Question to a person before the work. */
  readonly request: () => Question['request']
  readonly work: (executor: CodeExecutor, run: Run) => Promise<CallToolResult>
}

interface RunStarterParts {
  readonly server: McpServer
  readonly tools: ToolSandboxes
  readonly runs: Runs
  /** Asks a person before each run. */
  readonly approvals: Approvals | undefined
}

/** Starts runs. With approvals, a person allows each of them first. */
export class RunStarter {
  readonly #parts: RunStarterParts

  constructor(parts: RunStarterParts) {
    this.#parts = parts
  }

  /** Answers a call with the end of its run, with a run that continues, or with a question. */
  async start(
    input: SandboxInput,
    ctx: ServerContext,
    { request, work }: RunWork,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { server, tools, runs, approvals } = this.#parts
    const key = tools.keyOf(input)
    if (key === undefined) return sandboxNotOpen()
    let run: Run | undefined
    // Its time begins when a person has allowed it.
    const begin = () => {
      const begun = new Run(new RunningCall(tools.sandboxes.programTimeoutMs, ctx.mcpReq))
      run = begun
      const begunWork = (executor: CodeExecutor) => {
        begun.begin()
        return work(executor, begun)
      }
      return tools.use(input, begunWork, begun.running)
    }
    const answer = (end: Promise<CallToolResult>) => (run === undefined ? end : runs.answer(run, end))
    if (approvals === undefined) return answer(begin())
    return approvals.perform({ key, request: request() }, { ctx, server, work: begin, answer })
  }
}
