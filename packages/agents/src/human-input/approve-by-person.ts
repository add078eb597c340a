import type { ApprovalAnswer, AskAbout, CodeApprovalRequest } from '@fenced/core'
import { knownOptions } from '@fenced/core/internal'
import { visible, visibleName } from '@fenced/errors/text'
import { definedOptions, hideUsers, quotedCode, untilAborted } from '@fenced/shared'
import type { HumanInput, HumanInputChoice, HumanInputRequest } from './human-input.ts'

/** Options of {@link approveByPerson}. */
export interface ApproveByPersonOptions {
  /** Time limit for the person's answer, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number | undefined
  /**
   * Whether to ask in one sentence, without the programs, for a view that has already shown them, such as `showRun`. Default
   * `false`.
   */
  readonly brief?: boolean
}

/**
 * Returns an approver that prompts a person. The question shows the code, with hidden characters as escapes, and the target.
 *
 * | answer | meaning |
 * | --- | --- |
 * | `y`, `yes` | allows it once |
 * | `c`, `code` | allows this exact code on this target from now on |
 * | `a`, `all`, `always` | allows all code in this conversation |
 * | `e`, `edit` | prompts for a replacement of each program; Enter keeps the program |
 * | `n`, `no`, `exit` | denies it; text after `n` or `no` is the reason |
 *
 * Any other answer repeats the question. If no person is available or the time limit expires, an error is thrown; this does not
 * count as a denial.
 */
export function approveByPerson(
  humanInput: HumanInput,
  options: ApproveByPersonOptions = {},
): AskAbout<'code'> {
  const { timeoutMs, brief = false } = knownOptions(
    options,
    { timeoutMs: true, brief: true },
    'approveByPerson()',
  )
  return async (request, { signal }) => {
    using either = withTimeLimit(signal, timeoutMs)
    const ask = (asked: HumanInputRequest) => untilAborted(humanInput.ask(asked, either), either.signal)
    let question = questionAbout(request, brief)
    for (;;) {
      const text = (await ask(question)).trim()
      if (/^e(?:dit)?$/i.test(text)) return { by: 'person', ...(await edited(request, ask)) }
      const answer = answerTo(text)
      if (answer !== undefined) return { by: 'person', ...answer }
      const isUnclear = text !== ''
      question = { ...questionAbout(request, brief, isUnclear), id: crypto.randomUUID() }
    }
  }
}

/** @param isUnclear - whether the answer before was none of the choices. */
function questionAbout(request: CodeApprovalRequest, brief: boolean, isUnclear = false): HumanInputRequest {
  const { id, agent } = request
  const asked = brief ? inOneSentence(request) : `${visible(describe(request))}\n\nRun it?`
  const unclear = isUnclear ? 'Nothing was decided: choose one of the answers. ' : ''
  const prompt = `${asked} ${unclear}${choicesText}`
  return { id, kind: 'approval', agent, prompt, choices }
}

async function edited(
  { agent, blocks }: CodeApprovalRequest,
  ask: (question: HumanInputRequest) => Promise<string>,
): Promise<ApprovalAnswer> {
  const programs: { language: string; code: string }[] = []
  for (const [index, { language, code }] of blocks.entries()) {
    const which = blocks.length === 1 ? 'the program' : `program ${index + 1} of ${blocks.length}`
    const text = await ask({
      id: crypto.randomUUID(),
      kind: 'approval',
      agent,
      prompt: `Paste the replacement of ${which} (${visibleName(language)}), or press Enter to keep it: `,
      choices: [
        { answer: '', label: 'Keeps it' },
        { answer: 'exit', label: 'Does not run it' },
      ],
    })
    if (text.trim() === 'exit') return denial
    programs.push({ language, code: text.trim() === '' ? code : text })
  }
  return { decision: 'edit', blocks: programs }
}

const denial = { decision: 'deny', reason: 'The person did not want it to run.' } as const

/** The signal, also aborted when the time is over. */
function withTimeLimit(
  signal: AbortSignal,
  timeoutMs: number | undefined,
): Disposable & { readonly signal: AbortSignal } {
  if (timeoutMs === undefined) return { signal, [Symbol.dispose]: () => {} }
  const limit = new AbortController()
  const over = new DOMException(`No answer came within ${timeoutMs} ms.`, 'TimeoutError')
  const timer = setTimeout(() => limit.abort(over), timeoutMs)
  return { signal: AbortSignal.any([signal, limit.signal]), [Symbol.dispose]: () => clearTimeout(timer) }
}

const choices: readonly HumanInputChoice[] = [
  { answer: 'y', label: 'Runs it' },
  { answer: 'c', label: 'Runs this code always' },
  { answer: 'a', label: 'Runs all in this conversation' },
  { answer: 'e', label: 'Changes it' },
  { answer: 'n', label: 'Does not run it' },
]

const choicesText = '[y]es, this [c]ode always, [a]ll in this conversation, [e]dit, [n]o, or n and a reason: '

/** @returns `undefined` for any other text: a word such as "ok" neither allows nor denies. */
function answerTo(text: string): ApprovalAnswer | undefined {
  switch (text.toLowerCase()) {
    case 'y':
    case 'yes':
      return { decision: 'allow' }
    case 'c':
    case 'code':
      return { decision: 'allow', remember: 'code' }
    case 'a':
    case 'all':
    case 'always':
      return { decision: 'allow', remember: 'conversation' }
    case 'exit':
      return denial
  }
  const [isDenial, reason = ''] = /^no?(?:[\s,.:;]+(.*))?$/is.exec(text) ?? []
  if (isDenial === undefined) return undefined
  return reason === '' ? denial : { decision: 'deny', reason }
}

/** Without the programs. */
function inOneSentence({ blocks, target }: CodeApprovalRequest): string {
  const programs = blocks.length === 1 ? 'it' : `the ${blocks.length} programs`
  const packages = [...new Set(blocks.flatMap((block) => block.packages ?? []))]
  const installs = packages.length === 0 ? '' : `, and install ${packages.join(', ')}`
  return visible(`Run ${programs} ${target.description}${installs}?`)
}

/** For a person: programs with a margin, so that nothing in them can be taken for the question. */
function describe(request: CodeApprovalRequest): string {
  const { agent, blocks, retryAttempt } = request
  const again = retryAttempt === 0 ? '' : ` (try ${retryAttempt + 1})`
  const programs = blocks.map(({ language, code, fileName, packages }) => {
    const extras = [
      ...(fileName === undefined ? [] : [`kept as ${fileName}`]),
      ...(packages === undefined ? [] : [`installs ${packages.join(', ')}`]),
    ]
    const title = visibleName([language, ...extras].join(', '))
    return `${title}:\n${quotedCode(code)}`
  })
  return [`${agent} wants to run this${again}, ${where(request)}:`, ...programs].join('\n\n')
}

/** The target and the options of the call. */
function where({ target, timeoutMs, maxWaitMs, tools, toolLimits }: CodeApprovalRequest): string {
  const { description, executor, particulars, installablePackages: packages, workDir } = target
  const limits = definedOptions({ ...particulars, timeoutMs, maxWaitMs, ...toolLimits })
  return [
    `${description} (${executor})`,
    ...Object.entries(limits).map(([name, value]) => `${name} ${value}`),
    ...(tools === undefined ? [] : [`can call ${tools.join(', ')}`]),
    ...(packages === undefined
      ? []
      : [`may install ${packages === 'any' ? 'any package' : hideUsers(packages.join(', '))}`]),
    ...(workDir === undefined ? [] : [`working in ${workDir}`]),
  ].join(', ')
}
