import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'

/** What a person is asked about. */
export interface Question {
  readonly language: string
  readonly code: string
  readonly where: string
}

/**
 * What a person has decided about a program, or the question for one who was not asked yet: the client asks (elicitation), and
 * calls again with the answer. For clients of the protocol's older revisions the SDK asks and calls again. A client that cannot
 * ask gets an error, and nothing is run.
 */
export function approvalOf(
  { language, code, where }: Question,
  { mcpReq }: ServerContext,
): 'allowed' | 'denied' | InputRequiredResult {
  const given = inputResponse(mcpReq.inputResponses, 'approval')
  if (given.kind === 'elicit')
    return given.action === 'accept' && given.content?.run === true ? 'allowed' : 'denied'
  const approval = inputRequired.elicit({
    message: `May this program (${language}) run ${where}?\n\n${code}`,
    requestedSchema: {
      type: 'object',
      properties: { run: { type: 'boolean', title: 'Run it', default: false } },
      required: ['run'],
    },
  })
  return inputRequired({ inputRequests: { approval } })
}
