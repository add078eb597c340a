import type { ApprovalQueue, ApproveTool, CodeExecutor, HostTool, HostToolOptions } from '@fenced/core'
import type { RunRecorder } from './run-recorder.ts'

/**
 * The tools that the programs of an executor can call, none where they cannot call any. A person is asked about those with
 * `needsApproval`, in the queue in which the code is.
 */
export function toolsWithQuestions(
  { tools, toolLimits, approveTool }: HostToolOptions,
  { capabilities: { toolLanguages = [] } }: CodeExecutor,
  { questions, recorder }: { readonly questions: ApprovalQueue; readonly recorder: RunRecorder },
): HostToolOptions | undefined {
  if (tools === undefined || toolLanguages.length === 0) return undefined
  const ask: ApproveTool = async (request, options) => {
    if (!(await needsApproval(tools[request.tool], request.input))) return { decision: 'allow' }
    recorder.record({ type: 'tool-approval-requested', request })
    const answer = await questions.approveTool(request, options)
    recorder.record({ type: 'tool-approval-answered', id: request.id, answer })
    return answer
  }
  return { tools, toolLimits, approveTool: approveTool ?? ask }
}

/** As the AI SDK has it: a value, or a function of the input. */
async function needsApproval(tool: HostTool | undefined, input: unknown): Promise<boolean> {
  if (tool === undefined || typeof tool === 'function') return false
  const needs = tool.needsApproval
  return Boolean(typeof needs === 'function' ? await needs(input, { messages: [] }) : needs)
}
