import { programInput, toolInput } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { hideUsers } from '@fenced/shared'
import type { ToolSettings } from './tool-options.ts'

/** Input of the tool, from a model. */
export interface PythonToolInput {
  /** A complete program. */
  code: string
  /** Packages that the program needs, as pip accepts them. */
  packages?: string[] | undefined
}

type Words = Pick<ToolSettings, 'installablePackages' | 'timeoutMs'>

/** Default description of the tool for a model. */
export function toolDescription({ timeoutMs, installablePackages }: Words): string {
  return [
    'Runs a Python program and returns what it printed, its exit code if it failed, and the files that it left.',
    'Only what is printed can be seen, so print the results.',
    'Every call is a new process: variables and imports of earlier calls are gone.',
    'Files in the current directory stay, so a later program can read what an earlier one wrote; use relative paths.',
    `A program is stopped after ${timeoutMs / 1000} s, and it cannot ask for input.`,
    packagesSentence(installablePackages),
  ].join(' ')
}

export function toolInputSchema({ installablePackages }: Words): z.ZodType<PythonToolInput> {
  return toolInput({
    code: programInput('A whole Python program.'),
    packages: z
      .array(z.string())
      .optional()
      .describe(`Packages to be installed before it runs. ${packagesSentence(installablePackages)}`),
  })
}

/** Answer for a model that requested a package that is not allowed. */
export function refusal(name: string, installablePackages: ToolSettings['installablePackages']): string {
  return `Nothing was run, because the package ${JSON.stringify(hideUsers(name))} may not be installed. ${packagesSentence(installablePackages)} Packages that are already installed do not have to be requested.`
}

function packagesSentence(installable: ToolSettings['installablePackages']): string {
  if (installable === 'any')
    return 'Packages that are missing can be asked for in `packages`, as pip takes them.'
  if (installable.length === 0) return 'No packages can be installed.'
  return `Packages that can be asked for in \`packages\`: ${installable.map((name) => hideUsers(name.trim())).join(', ')}.`
}
