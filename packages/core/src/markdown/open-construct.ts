import { HeredocScanner } from './heredoc-scanner.ts'
import { PythonStringScanner } from './python-string-scanner.ts'

/** Reads a program line by line and knows whether it stands inside something that a later line must end. */
export interface OpenConstruct {
  next(line: string): void
  readonly open: boolean
}

/** What to watch in a program of this language: triple-quoted strings in Python, heredocs in a shell. */
export function openConstruct(language: string): OpenConstruct | undefined {
  if (language === 'python') return new PythonStringScanner()
  return language === 'sh' || language === 'bash' ? new HeredocScanner() : undefined
}
