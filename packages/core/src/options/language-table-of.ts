import { createLanguageTable, type LanguageTable, type LanguageTableOptions } from '@fenced/markdown'

/** The table of languages that an executor's options describe. */
export function languageTableOf({ languages, executionPolicies }: LanguageTableOptions): LanguageTable {
  return createLanguageTable({
    ...(languages === undefined ? {} : { languages }),
    ...(executionPolicies === undefined ? {} : { executionPolicies }),
  })
}
