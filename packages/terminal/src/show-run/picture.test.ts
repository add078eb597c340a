import { describe, expect, it } from 'vitest'
import { pictureProtocol } from './picture.ts'

const terminal = { isTTY: true }

describe('a picture in a terminal', () => {
  it.each<[what: string, env: Record<string, string>, start: string]>([
    ['kitty', { TERM: 'xterm-kitty' }, '\u001b_Ga=T,f=100,m=0;aGk=\u001b\\'],
    ['kitty with another TERM', { TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, '\u001b_G'],
    ['Ghostty', { TERM_PROGRAM: 'ghostty' }, '\u001b_G'],
    ['iTerm2', { TERM_PROGRAM: 'iTerm.app' }, '\u001b]1337;File=inline=1;size=2:aGk=\u0007'],
    ['WezTerm', { TERM_PROGRAM: 'WezTerm' }, '\u001b]1337;File=inline=1'],
  ])('is shown by %s in its own protocol', (_, env, start) => {
    expect(pictureProtocol(terminal, env)?.('aGk=').startsWith(start)).toBe(true)
  })

  it.each<[what: string, stream: { isTTY?: boolean }, env: Record<string, string>]>([
    ['that says nothing', terminal, { TERM: 'xterm-256color' }],
    ['behind a multiplexer', terminal, { TERM_PROGRAM: 'iTerm.app', TMUX: '/tmp/tmux' }],
    ['that is none', {}, { TERM: 'xterm-kitty' }],
  ])('is not sent to a terminal %s', (_, stream, env) => {
    expect(pictureProtocol(stream, env)).toBeUndefined()
  })

  it('goes to kitty in pieces that belong together', () => {
    const data = 'A'.repeat(9_000)
    const sent =
      pictureProtocol(terminal, { TERM: 'xterm-kitty' })?.(`${data.slice(0, 76)}\n${data.slice(76)}`) ?? ''
    const pieces = sent.split('\u001b\\').slice(0, -1)
    expect(pieces.map((piece) => /m=(\d)/.exec(piece)?.[1])).toEqual(['1', '1', '0'])
    expect(pieces.map((piece) => piece.split(';')[1]).join('')).toBe(data)
  })
})
