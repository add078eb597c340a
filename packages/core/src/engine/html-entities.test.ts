import { expect, test } from 'vitest'
import { htmlEntitiesNotice } from './failure-notices.ts'

test.each([
  ['dash', 'mkdir d &amp;&amp; ls', 'a.sh: 1: Syntax error: "&" unexpected', '1', '&amp;'],
  ['bash', 'true\nls &amp;&amp; ls', "a.sh: line 2: syntax error near unexpected token `&'", '2', '&amp;'],
  ['a redirection', 'echo in &gt; f', 'a.sh: line 1: gt: command not found', '1', '&gt;'],
  ['a redirection in dash', 'echo in &gt; f', 'a.sh: 1: gt: not found', '1', '&gt;'],
  [
    'Python',
    'if 1 &lt; 2:\n  pass',
    '    if 1 &lt; 2:\n           ^\nSyntaxError: invalid syntax',
    '1',
    '&lt;',
  ],
])('an entity is named: %s', (_, code, stderr, line, entity) => {
  expect(htmlEntitiesNotice(code, stderr)).toMatchObject({ code: 'html-entities', data: { line, entity } })
})

test.each([
  ['another error', 'print("&amp;", 1 / 0)', 'ZeroDivisionError: division by zero'],
  ['no entity', 'if', 'SyntaxError: invalid syntax'],
])('%s is not taken for one', (_, code, stderr) => {
  expect(htmlEntitiesNotice(code, stderr)).toBeUndefined()
})
