import { describe, expect, it } from 'vitest'
import { mayReadOwnFile } from './own-file.ts'

describe('a program', () => {
  it.each([
    ['python', 'print(open(__file__).read())'],
    ['python', 'os.path.exists(__file__)'],
    ['python', 'subprocess.run([sys.executable, sys.argv[0]])'],
    ['python', 'here = os.path.dirname(__file__)\nprint(__file__)'],
    ['sh', 'cat "$0"'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell
    ['bash', 'sed -n 2p "${BASH_SOURCE[0]}"'],
    ['bash', 'cat $BASH_SOURCE'],
    ['javascript', 'console.log(1)'],
  ])('in %s that may read its own file has one: %j', (language, code) => {
    expect(mayReadOwnFile(code, language)).toBe(true)
  })

  it.each([
    ['python', 'print(1)'],
    ['python', 'here = os.path.dirname(os.path.abspath(__file__))'],
    ['python', 'here = Path(__file__).resolve().parent / "data"'],
    ['sh', 'cd "$(dirname "$0")" && echo $1'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell
    ['bash', 'cd "$(dirname "${BASH_SOURCE[0]}")"'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell
    ['bash', 'if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then main; fi'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell
    ['bash', '[[ "${BASH_SOURCE[0]}" == "${0}" ]] && main'],
  ])('in %s that only finds its directory has none: %j', (language, code) => {
    expect(mayReadOwnFile(code, language)).toBe(false)
  })
})
