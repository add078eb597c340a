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
