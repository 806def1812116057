import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { readVoucherConfig } from '../../../src/gateway/voucher/config-file.ts'
import { voucherProblems } from '../../../src/gateway/voucher/problems.ts'
import { SIGNER_ADDRESS, SIGNER_PUBLIC_KEY } from './signer-server.ts'

const EXAMPLE = readFileSync(
  new URL('../../../config/voucher.example.toml', import.meta.url),
  'utf8',
)
const PAIR = 'certificate = "/etc/c"\nkey = "/etc/k"\n'
const OTHER = `0x${'11'.repeat(64)}`
const table = (
  lines: string,
  url = 'https://signer.example:9000',
  publicKey: string = SIGNER_PUBLIC_KEY,
) => `[[signers]]\nurl = "${url}"\npublicKey = "${publicKey}"\n${lines}`
const LOCAL = table('', 'http://127.0.0.1:9000')

/** What a voucher file with these signers is refused for, where the files that it names are as given. */
function problems(signers: string, file = { directory: false, mode: 0o600 }) {
  const text = `${EXAMPLE}\n${signers}`
  const read = (path: string) => (path === 'voucher.toml' ? text : 'PEM')
  const stat = (path: string) => (path.endsWith('missing') ? null : file)
  return voucherProblems(
    { voucher: { path: 'voucher.toml', keys: [] } },
    { stat, read, list: () => [] },
  )
}

describe('signers of a voucher file', () => {
  test('are read with the address of their public key', () => {
    const upper = SIGNER_PUBLIC_KEY.toUpperCase().replace('X', 'x')
    const { signers } = readVoucherConfig(
      `${EXAMPLE}\n${table(`${PAIR}ca = "/etc/a"`, 'https://signer.example/w', upper)}`,
    )
    expect(signers).toEqual([
      {
        url: new URL('https://signer.example/w'),
        publicKey: SIGNER_PUBLIC_KEY,
        address: SIGNER_ADDRESS,
        files: { certificate: '/etc/c', key: '/etc/k', ca: '/etc/a' },
      },
    ])
    expect(readVoucherConfig(EXAMPLE).signers).toEqual([])
  })

  test.each([
    ['with a certificate', table(PAIR)],
    ['of this machine without one', LOCAL],
  ])('%s are taken', (_, signers) => {
    expect(problems(signers)).toEqual([])
  })

  const URL_LINE = 'url must be https, or http to loopback, without credentials, query or fragment'
  const NEEDED = 'certificate and key are needed: who signs for anybody that asks signs for thieves'
  test.each([
    [table(''), NEEDED],
    [table(PAIR, 'http://signer.example'), URL_LINE],
    [table(PAIR, 'https://u:p@signer.example'), URL_LINE],
    [table(PAIR, 'https://signer.example/?key=1'), URL_LINE],
    [table(PAIR, undefined, OTHER), 'publicKey is no point of secp256k1: a character is mistyped'],
    [
      table('key = "/etc/k"', 'http://127.0.0.1:1'),
      'certificate and key go together: give both or neither',
    ],
    [table('ca = "/etc/a"', 'http://127.0.0.1:1'), 'ca goes with certificate and key'],
  ])('are refused: %p', (signers, line) => {
    expect(problems(signers)).toEqual([`PREPD_VOUCHER: voucher.toml: signers[0].${line}`])
  })

  test('are refused twice with one key, and more than two', () => {
    const twice = 'signers has one publicKey twice'
    expect(problems(LOCAL + LOCAL)).toEqual([`PREPD_VOUCHER: voucher.toml: ${twice}`])
    expect(problems(LOCAL.repeat(3))).toEqual([
      'PREPD_VOUCHER: voucher.toml: signers must be one or two tables [[signers]]',
    ])
  })

  test('need files that can be read, and a key that others cannot use', () => {
    const missing = table('certificate = "/etc/missing"\nkey = "/etc/k"\n')
    expect(problems(missing)).toEqual([
      'PREPD_VOUCHER: signers names a file that cannot be read, or is larger than 1 MiB: /etc/missing',
    ])
    const open = { directory: false, mode: 0o640 }
    expect(problems(table(PAIR), open)).toEqual([
      'PREPD_VOUCHER: others may use /etc/k: chmod 600 it',
    ])
    const passed = PAIR.replace('/etc/k', '/run/credentials/prepd.service/k')
    expect(problems(table(passed), open)).toEqual([])
  })
})
