import { randomUUID } from 'node:crypto'
import { visibleName } from '@fenced/errors/text'
import { hideUsers } from '@fenced/shared'
import { type PlaceOfCode, targetOf } from './approval-target.ts'
import type { InstallRequest } from './ask-requests.ts'
import { withDigest } from './digest.ts'

/** The packages of a question about an installation. */
interface RequestedPackages {
  readonly packages: readonly string[]
  readonly blockIndex?: number | undefined
}

/** The question before packages are installed where an executor runs code. */
export function installRequest(
  executor: PlaceOfCode,
  { packages, blockIndex }: RequestedPackages,
): InstallRequest {
  const target = targetOf(executor)
  const { packageIndex: index } = executor.capabilities
  const what = packages.length === 1 ? 'the package' : 'the packages'
  const from = index === undefined ? '' : ` from ${visibleName(index)}`
  return withDigest({
    kind: 'install' as const,
    id: randomUUID(),
    question: `May ${what} ${packages.map((name) => visibleName(hideUsers(name))).join(', ')} be installed${from} ${target.description} (${target.executor})?`,
    packages,
    ...(index === undefined ? {} : { index }),
    target,
    ...(blockIndex === undefined ? {} : { blockIndex }),
  })
}
