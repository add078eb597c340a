import { readBundled } from './bundled.ts'

/** What the scripted model says, in this order. All but the last hold a program. */
export const steps = ['attempt', 'repair', 'check', 'outcome'] as const

export type Step = (typeof steps)[number]
export type Script = Readonly<Record<Step, string>>

/** In which language it speaks. A kernel keeps variables, so that less has to be said twice. */
export type Version = 'python' | 'javascript' | 'kernel'

export async function readScript(version: Version): Promise<Script> {
  const texts = steps.map(async (step, index) => {
    const text = await readBundled(`${version}/${index + 1}-${step}.md`)
    return [step, text] as const
  })
  return Object.fromEntries(await Promise.all(texts)) as Script
}

/** The task that the script is about. */
export function readTask(): Promise<string> {
  return readBundled('task.md')
}
