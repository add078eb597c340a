import { readBundled } from './bundled.ts'

/** What the scripted model says, in this order. All but the last hold a program. */
export const scenes = ['attempt', 'repair', 'check', 'outcome'] as const

export type Scene = (typeof scenes)[number]
export type Part = Readonly<Record<Scene, string>>

/** In which language it speaks. A kernel keeps variables, so that less has to be said twice. */
export type Version = 'python' | 'javascript' | 'kernel'

export async function readPart(version: Version): Promise<Part> {
  const texts = scenes.map(async (scene, index) => {
    const text = await readBundled(`${version}/${index + 1}-${scene}.md`)
    return [scene, text] as const
  })
  return Object.fromEntries(await Promise.all(texts)) as Part
}

/** The task that the part is about. */
export function readTask(): Promise<string> {
  return readBundled('task.md')
}
