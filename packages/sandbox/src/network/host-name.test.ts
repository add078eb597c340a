import { expect, it } from 'vitest'
import { hostOf } from './host-name.ts'

it('a name has one form: lower case, in ASCII, without a dot at its end', ({ everyRow }) =>
  everyRow(
    [
      ['api.example.com', 'api.example.com'],
      ['API.Example.COM', 'api.example.com'],
      ['api.example.com.', 'api.example.com'],
      ['bücher.example', 'xn--bcher-kva.example'],
      ['BÜCHER.example', 'xn--bcher-kva.example'],
      ['faß.example', 'xn--fa-hia.example'],
      ['localhost', 'localhost'],
      ['_service.example', '_service.example'],
    ],
    (text, host) => {
      expect(hostOf(text)).toEqual({ kind: 'name', host })
    },
  ))

it('an address has one form, however it is written', ({ everyRow }) =>
  everyRow(
    [
      ['127.0.0.1', '127.0.0.1'],
      ['127.1', '127.0.0.1'],
      ['127.0.0.1.', '127.0.0.1'],
      ['2130706433', '127.0.0.1'],
      ['0x7f000001', '127.0.0.1'],
      ['0x7F.1', '127.0.0.1'],
      ['0177.0.0.1', '127.0.0.1'],
      ['017700000001', '127.0.0.1'],
      ['0', '0.0.0.0'],
      ['１２７.0.0.1', '127.0.0.1'],
      ['[::1]', '::1'],
      ['[0:0:0:0:0:0:0:1]', '::1'],
      ['[::ffff:127.0.0.1]', '127.0.0.1'],
      ['[::ffff:7f00:1]', '127.0.0.1'],
      ['[FE80::1]', 'fe80::1'],
    ],
    (text, host) => {
      expect(hostOf(text)).toEqual({ kind: 'address', host })
    },
  ))

it('text that is neither a name nor an address is refused', ({ everyRow }) =>
  everyRow(
    [
      ...[
        '',
        '.',
        '..',
        'a..b',
        'api.example.com..',
        '-a.example',
        'a-.example',
        'a b',
        'a\0b',
        'a\n',
        'a/b',
        'a\\b',
      ],
      ...[
        'a@b',
        'a:80',
        'a%2eb',
        'a?b',
        'a#b',
        'a,b',
        '*',
        '*.a',
        '[::1',
        '::1',
        '[::1%eth0]',
        '1.2.3.4.5',
        '256.1',
      ],
      ...['1.2.3.999', 'ａ。ｂ', 'a\u200db', `${'a'.repeat(64)}.example`, `${'a.'.repeat(200)}example`],
    ],
    (text) => {
      expect(hostOf(text)).toBeUndefined()
    },
  ))
