import { FencedError } from '@fenced/errors'
import { hideUsers } from '@fenced/shared'
import { parseOptions } from '../../options/parse-options.ts'
import { z } from '../../zod.ts'
import { packageSchema } from '../options.ts'
import { type InstallablePackages, installableAs } from './installable.ts'

const requestedSchema = z.object({ packages: z.array(packageSchema).min(1).max(100) })

/**
 * Returns the requirements for pip of packages that a caller names.
 *
 * @throws FencedError `PACKAGE_NOT_ALLOWED`; `INVALID_OPTIONS` for what is not a list of packages.
 */
export function requestedPackages(
  given: readonly string[],
  installable: InstallablePackages,
): readonly string[] {
  const { packages } = parseOptions(requestedSchema, { packages: given }, 'installPackages()')
  return [...new Set(packages.map((name) => allowedAs(name, installable)))]
}

function allowedAs(name: string, installable: InstallablePackages): string {
  const allowed = installableAs(name, installable)
  if (allowed !== undefined) return allowed
  const shown = hideUsers(name)
  const names = installable === 'any' ? 'names and versions, without paths and URLs' : installable.join(', ')
  throw new FencedError({
    code: 'PACKAGE_NOT_ALLOWED',
    message: `The package ${JSON.stringify(shown)} cannot be installed, so nothing was installed. Allowed: ${hideUsers(names)}.`,
    data: { package: shown, option: 'installablePackages' },
  })
}
