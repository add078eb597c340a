import { visibleName } from '@fenced/errors/text'
import type { CodeBlock } from '@fenced/markdown'
import type { ExecuteOptions } from '../code-executor.ts'
import { fileNameOfBlock } from '../language/file-name.ts'
import type { ApprovalBlock, CodeApprovalRequest } from './approval-request.ts'
import { type PlaceOfCode, targetOf } from './approval-target.ts'
import { codeHash } from './code-hash.ts'
import { countedOptions } from './counted-options.ts'
import { withDigest } from './digest.ts'

/** The code to approve, from the agent. */
export interface CodeToApprove {
  readonly agent: string
  readonly executor: PlaceOfCode
  readonly blocks: readonly CodeBlock[]
  /** Options of the call. */
  readonly options?: ExecuteOptions | undefined
  readonly context: string
  readonly retryAttempt: number
}

/** The question about code: everything that one has to know who decides. */
export function codeRequest({
  agent,
  executor,
  blocks,
  options = {},
  context,
  retryAttempt,
}: CodeToApprove): CodeApprovalRequest {
  const target = targetOf(executor)
  return withDigest({
    kind: 'code' as const,
    id: crypto.randomUUID(),
    agent,
    question: `${visibleName(agent)} wants to run ${programsText(blocks)} ${target.description} (${target.executor}).`,
    blocks: blocks.map(describeBlock),
    codeHash: codeHash(blocks),
    ...(target.installablePackages === undefined ? {} : { mayRunAgain: true as const }),
    target,
    askedAt: Date.now(),
    ...countedOptions(options),
    context,
    retryAttempt,
  })
}

function programsText(blocks: readonly CodeBlock[]): string {
  const languages = [...new Set(blocks.map(({ language }) => visibleName(language) || 'unlabeled'))].join(
    ', ',
  )
  return blocks.length === 1 ? `a program (${languages})` : `${blocks.length} programs (${languages})`
}

function describeBlock(block: CodeBlock): ApprovalBlock {
  const fileName = fileNameOfBlock(block)
  const packages = installedBy(block.code)
  return {
    ...block,
    ...(fileName === undefined ? {} : { fileName }),
    ...(packages.length === 0 ? {} : { packages }),
  }
}

/** Returns the packages in commands such as `pip install`, without options and their values. */
function installedBy(code: string): string[] {
  const commands = code.matchAll(/(?:^|[\s;&|!%])(?:pip3?|uv\s+pip)\s+install\s+(?<words>[^\n;&|]*)/g)
  const names = [...commands].flatMap(({ groups }) => {
    const words = groups?.words?.split(/\s+/) ?? []
    return words.filter((_, index) => !optionWithValue.test(words[index - 1] ?? ''))
  })
  return [...new Set(names.map((name) => name.replace(/["']/g, '')).filter((name) => /^[A-Za-z]/.test(name)))]
}

const optionWithValue =
  /^(?:-[rceitf]|--(?:requirement|constraint|(?:extra-)?index-url|target|find-links|prefix))$/
