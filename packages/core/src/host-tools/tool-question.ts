import { randomUUID } from 'node:crypto'
import { shortened, visibleCode, visibleName } from '@fenced/errors/text'
import { approvalDigest } from '../approval/digest.ts'
import type { ToolApprovalRequest } from '../approval/tool-request.ts'
import type { HostToolCall } from '../vocabulary/host-tool.ts'
import { CallFailure } from './call-failure.ts'
import { jsonText } from './json-text.ts'
import type { ReadyTool } from './tool-schema.ts'

/** A call of a tool that is there. */
export type CallToMake = Pick<HostToolCall, 'id' | 'tool' | 'input' | 'line'>

/** Limit for the arguments in a question, in characters. */
const longestInput = 500

/**
 * The question about a call of a program; `undefined` for a call without a question.
 *
 * @throws CallFailure where the tool needs an approval and no approver is given.
 */
export async function questionAbout(
  tool: ReadyTool,
  { id, input, line }: CallToMake,
  { isAsked, blockIndex }: { readonly isAsked: boolean; readonly blockIndex: number },
): Promise<ToolApprovalRequest | undefined> {
  const needsApproval = await needsToBeAsked(tool, input, id)
  if (!isAsked && needsApproval === true)
    throw new CallFailure('denied', 'it needs an approval, and `ask` does not decide about tools')
  if (!isAsked || needsApproval === false) return undefined
  const json = jsonText(input)
  const shown = shortened(json, longestInput)
  const where = line === undefined ? '' : ` (line ${line})`
  const action = { kind: 'tool' as const, tool: tool.name, input: JSON.parse(json) as unknown }
  return {
    kind: 'tool',
    id: randomUUID(),
    toolCallId: id,
    question: `A program${where} wants to call the tool ${visibleName(tool.name)} with ${visibleCode(shown)}.`,
    tool: tool.name,
    // Bytes and large integers have no JSON otherwise.
    digest: approvalDigest(action),
    ...(tool.description === undefined ? {} : { description: tool.description }),
    ...(needsApproval === true ? { needsApproval } : {}),
    input: structuredClone(input),
    blockIndex,
    ...(line === undefined ? {} : { line }),
  }
}

/** The AI SDK takes `needsApproval` as a value or as a function of the input. `undefined`: the tool says nothing. */
async function needsToBeAsked(
  { needsApproval }: ReadyTool,
  input: unknown,
  toolCallId: string,
): Promise<boolean | undefined> {
  if (typeof needsApproval !== 'function')
    return needsApproval === undefined ? undefined : Boolean(needsApproval)
  return Boolean(await needsApproval(input, { toolCallId, messages: [] }))
}
