import { type CodeBlock, type CodeExecutor, fileNameOfBlock } from '@fenced/core'
import type { ApprovalBlock, ApprovalFile, ApprovalRequest } from './approval-request.ts'
import { codeHash } from './code-hash.ts'

/** What is to be approved, as the agent knows it. */
export interface ApprovalSubject {
  readonly agent: string
  readonly executor: CodeExecutor
  readonly blocks: readonly CodeBlock[]
  /** See {@link ApprovalRequest.files}. */
  readonly files?: readonly ApprovalFile[] | undefined
  /** See {@link ApprovalRequest.remembersCode}. */
  readonly remembersCode?: false | undefined
  readonly context: string
  readonly retryAttempt: number
}

/** Everything that somebody has to know who decides. */
export function requestFor({
  agent,
  executor,
  blocks,
  files = [],
  remembersCode,
  context,
  retryAttempt,
}: ApprovalSubject): ApprovalRequest {
  const { name, capabilities, workDir } = executor
  const { isolation, network, isolationParticulars = {}, installablePackages } = capabilities
  return {
    id: crypto.randomUUID(),
    agent,
    blocks: blocks.map(describeBlock),
    codeHash: codeHash(blocks),
    place: {
      executor: name,
      isolation,
      network,
      particulars: isolationParticulars,
      ...(workDir === undefined ? {} : { workDir }),
      ...(installablePackages === undefined ? {} : { installablePackages }),
    },
    ...(files.length === 0 ? {} : { files }),
    ...(remembersCode === undefined ? {} : { remembersCode }),
    context,
    retryAttempt,
  }
}

function describeBlock(block: CodeBlock): ApprovalBlock {
  const { language, code } = block
  const fileName = fileNameOfBlock(block)
  const packages = installedBy(code)
  return {
    language,
    code,
    ...(fileName === undefined ? {} : { fileName }),
    ...(packages.length === 0 ? {} : { packages }),
  }
}

/** What commands such as `pip install` name; options and what belongs to them are left out. */
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
