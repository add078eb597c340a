import type { LanguageModel } from 'ai'

export const isFunction = (value: unknown): boolean => typeof value === 'function'

/** Whether a value is an object with a method. */
export const hasMethod = (name: string) => (value: unknown) =>
  typeof value === 'object' && value !== null && isFunction((value as Record<string, unknown>)[name])

/** Whether a value is a model of the AI SDK: an id, or an object that answers in a stream or at once. */
export const isModel = (value: unknown): value is LanguageModel =>
  (typeof value === 'string' && value !== '') ||
  hasMethod('doStream')(value) ||
  hasMethod('doGenerate')(value)
