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
  ['a number', 'print(&#39;a&#39;)', 'SyntaxError: invalid syntax', '1', '&#39;'],
  ['a hexadecimal number', '\n\nprint(&#X27;a&#x27;)', 'SyntaxError: invalid syntax', '3', '&#X27;'],
  ['a no-break space', 'if x:\n&nbsp;&nbsp;print(1)', 'SyntaxError: invalid syntax', '2', '&nbsp;'],
  ['another name of HTML', 'print&lpar;1&rpar;', 'SyntaxError: invalid syntax', '1', '&lpar;'],
  ['a name that is not found', 'ls &hellip; x', 'a.sh: 1: hellip: not found', '1', '&hellip;'],
  ['a name after one of the program', 'x = 1; p = &x; &lbrace;', 'syntax error', '1', '&lbrace;'],
])('an entity is named: %s', (_, code, stderr, line, entity) => {
  expect(htmlEntitiesNotice(code, stderr)).toMatchObject({ code: 'html-entities', data: { line, entity } })
})

test.each(['amp', 'lt', 'gt', 'quot', 'apos', 'nbsp'])(
  'an entity is named where a variable has its name: %s',
  (name) => {
    const notice = htmlEntitiesNotice(`${name} = 1\n2 &${name}; 1`, 'SyntaxError: invalid syntax')
    expect(notice).toMatchObject({ data: { line: '2', entity: `&${name};` } })
  },
)

test.each([
  ['another error', 'print("&amp;", 1 / 0)', 'ZeroDivisionError: division by zero'],
  ['no entity', 'if', 'SyntaxError: invalid syntax'],
  ['a name of the program', 'int x; int *p = &x; if', 'a.go:1: syntax error'],
  ['another command', 'echo "&amp;"; lss', 'a.sh: 1: lss: not found'],
])('%s is not taken for one', (_, code, stderr) => {
  expect(htmlEntitiesNotice(code, stderr)).toBeUndefined()
})
