import { FencedError } from '../fenced-error.ts'

/** For what cannot be loaded, whoever loads it. */
export function invalidConfig(reason: string): FencedError {
  return new FencedError({
    code: 'INVALID_CONFIG',
    message: `This is no config that can be loaded, { provider, version, config }: ${reason}`,
  })
}
