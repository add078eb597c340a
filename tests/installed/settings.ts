/** What a project needs beside a package, to check types: those of `ai` import `json-schema` and do not bring its types. */
export const typesPackages = ['@types/node@22', '@types/json-schema'] as const

export type Resolution = 'nodenext' | 'bundler'

/** A tsconfig.json that checks what is installed, too. `exactOptionalPropertyTypes` is left out: `ai` is not written for it. */
export function settings(resolution: Resolution, files: readonly string[]): string {
  return JSON.stringify({
    compilerOptions: {
      strict: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'esnext',
      module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
      moduleResolution: resolution,
      types: ['node'],
    },
    files,
  })
}
