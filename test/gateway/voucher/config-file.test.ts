import { describe, expect, test } from 'bun:test'
import { toEip55 } from '../../../src/core/crypto/checksum.ts'
import { UsageError } from '../../../src/core/settings/usage-error.ts'
import { payoutKey } from '../../../src/gateway/voucher/config.ts'
import { readVoucherConfig } from '../../../src/gateway/voucher/config-file.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const [VAULT, SOURCE, PAID, REDEEMER] = [address('1'), address('2'), address('3'), address('4')]

const LETTERS = address('a')

const CAPS = `[caps.902]\n"${PAID}" = "5000000000000000000000"\n`
const CHAIN = `[[chains]]
chainId = 901
rpcs = ["https://one.example/v2/SECRET", "https://two.example/?key=SECRET"]
quorum = 2
vault = "${VAULT}"
startBlock = 7
payableSeconds = 3600
event = "Deposit"
finality = "finalized"
`
const PAYOUT = `[chains.payouts."${SOURCE}".902]
redeemer = "${REDEEMER}"
token = "${PAID}"
mul = 1
div = 1000
max = "100000000000000000000"
`
const FILE = CAPS + CHAIN + PAYOUT

/** The lines of the refusal of a file; empty when it is taken. */
function problemsOf(text: string): readonly string[] {
  try {
    readVoucherConfig(text)
    return []
  } catch (error) {
    if (error instanceof UsageError) return error.lines
    throw error
  }
}

const changed = (from: string, to: string) => FILE.replace(from, to)
const account = (lines: string) =>
  changed('event = "Deposit"', `event = "AccountDepositTo"\n${lines}`)

describe('a file', () => {
  test('is read into what the verb needs, in lower case', () => {
    const mixed = toEip55(`0x${'ab'.repeat(20)}`)
    const { chains, caps, validitySeconds } = readVoucherConfig(changed(VAULT, mixed))
    const chain = chains.get(901)
    expect(chain).toMatchObject({
      quorum: 2,
      vault: mixed.toLowerCase(),
      checkpoint: null,
      startBlock: 7n,
      payableSeconds: 3600,
    })
    expect(chain?.rpcs.map(({ host }) => host)).toEqual(['one.example', 'two.example'])
    expect(chain?.payouts.get(payoutKey(SOURCE, 902))).toEqual({
      redeemer: REDEEMER,
      token: PAID,
      mul: 1n,
      div: 1000n,
      max: 10n ** 20n,
    })
    expect(caps.get(payoutKey(PAID, 902))).toBe(5n * 10n ** 21n)
    expect(validitySeconds).toBe(86_400)
  })

  test('may say more: validity, depth, checkpoint, symbols', () => {
    const text = `validitySeconds = 600\n${account(
      `destinationChainId = 902
      symbols = { USDC = "${SOURCE}" }
      checkpoint = { block = 7, hash = "0x${'AB'.repeat(32)}" }`,
    ).replace('"finalized"', '64')}`
    const { chains, validitySeconds } = readVoucherConfig(text)
    expect(validitySeconds).toBe(600)
    expect(chains.get(901)).toMatchObject({
      finality: 64,
      destinationChainId: 902,
      checkpoint: { block: 7, hash: `0x${'ab'.repeat(32)}` },
    })
    const usdc = '0xd6aca1be9729c13d677335161321649cccae6a591554772516700f986f942eaa'
    expect(chains.get(901)?.symbols).toEqual(new Map([[usdc, SOURCE]]))
  })

  const rpcs = (...urls: readonly string[]) =>
    problemsOf(changed(/rpcs = .*/.exec(FILE)?.[0] ?? '', `rpcs = ${JSON.stringify(urls)}`))

  test('may name programs on this machine, each by its port', () => {
    expect(rpcs('http://127.0.0.1:1', 'http://[::1]:2')).toEqual([])
  })

  test.each([
    ['http://127.0.0.1:1', 'http://127.0.0.1:1/other'],
    ['http://127.0.0.1:1', 'http://[::1]:1'],
    ['http://127.0.0.1:1', 'http://localhost:1'],
    ['http://127.0.0.1:1', 'http://127.9.9.9:1'],
    ['http://127.0.0.1:1', 'http://[::ffff:127.0.0.1]:1'],
    ['http://127.0.0.1', 'http://localhost:80'],
    ['https://127.0.0.1:443', 'https://localhost.'],
    ['https://one.example/a', 'https://one.example./a'],
    ['https://one.example', 'https://ONE.example:8443'],
    ['https://1.2.3.4', 'https://[::ffff:1.2.3.4]'],
  ])('takes %s and %s for one witness', (one, other) => {
    const line =
      'chains[0].rpcs must be of different hosts: two endpoints of one operator are one witness'
    expect(rpcs(one, other)).toEqual([line])
  })

  test('has a quorum of more than half', () => {
    const urls = (count: number) =>
      Array.from({ length: count }, (_, at) => `"https://e${at}.example"`).join()
    const line =
      'chains[0].quorum must exceed half of the endpoints, so that no two quorums can contradict each other'
    for (let count = 2; count <= 8; count += 1) {
      for (let quorum = 2; quorum <= count; quorum += 1) {
        const text = changed(/rpcs = .*/.exec(FILE)?.[0] ?? '', `rpcs = [${urls(count)}]`)
        const lines = problemsOf(text.replace('quorum = 2', `quorum = ${quorum}`))
        expect(lines).toEqual(quorum * 2 > count ? [] : [line])
      }
    }
  })
})

describe('a refusal', () => {
  const MINE = `chains[0].payouts.${SOURCE}.902`
  // biome-ignore format: one file a row
  test.each([
    ['no TOML', 'chains = ', ['line 1 is not TOML']],
    ['nothing', '', ['chains is missing: give one to thirty-two tables [[chains]]', 'caps is missing: give a table [caps.CHAIN] for each destination']],
    ['a mistyped key', changed('quorum', 'qorum'), ['chains[0].quorum is missing: give the number of endpoints that must agree, 2 to 8', 'chains[0].qorum is not known here']],
    ['one endpoint', changed(', "https://two.example/?key=SECRET"', ''), ['chains[0].rpcs must be a list of two to eight URLs']],
    ['a short vault', changed(VAULT, '0x11'), ['chains[0].vault must be an address: 0x and 40 hex characters']],
    ['an alien event', changed('"Deposit"', '"Transfer"'), ['chains[0].event must be Deposit or AccountDepositTo']],
    ['a latest block', changed('"finalized"', '"latest"'), ['chains[0].finality must be finalized, safe, or a depth of 1 to 100000 blocks']],
    ['a depth of none', changed('"finalized"', '0'), ['chains[0].finality must be finalized, safe, or a depth of 1 to 100000 blocks']],
    ['a ratio by zero', changed('div = 1000', 'div = 0'), [`${MINE}.div must be a whole number above zero, in quotes when it has more than 15 digits`]],
    ['half a ratio', changed('mul = 1', 'mul = 0.5'), [`${MINE}.mul must be a whole number above zero, in quotes when it has more than 15 digits`]],
    ['a long validity', `validitySeconds = 604801\n${FILE}`, ['validitySeconds must be a whole number of seconds from 600 to 604800']],
    ['plain http', changed('https://one', 'http://one'), ['chains[0].rpcs must be https URLs, or http to loopback, without credentials or fragment']],
    ['credentials', changed('https://one', 'https://u:p@one'), ['chains[0].rpcs must be https URLs, or http to loopback, without credentials or fragment']],
    ['one operator twice', changed('two.example', 'one.example'), ['chains[0].rpcs must be of different hosts: two endpoints of one operator are one witness']],
    ['a quorum nobody reaches', changed('quorum = 2', 'quorum = 3'), ['chains[0].quorum must not exceed the number of endpoints']],
    ['a quorum of one', changed('quorum = 2', 'quorum = 1'), ['chains[0].quorum must be the number of endpoints that must agree, 2 to 8']],
    ['no payouts', `${CAPS}${CHAIN}payouts = {}`, ['chains[0].payouts must hold at least one payout', `caps.902.${PAID} limits a token that no payout pays`]],
    ['no cap', FILE.replace(`"${PAID}" = "5`, `"${REDEEMER}" = "5`), [`${MINE}.token has no entry in caps`, `caps.902.${REDEEMER} limits a token that no payout pays`]],
    ['a deposit above the cap', changed('"100000000000000000000"', '"5000000000000000000001"'), [`${MINE}.max exceeds the cap of its token`]],
    ['no start', changed('startBlock = 7\n', ''), ['chains[0].startBlock is missing: give the number of the first block whose deposits are paid']],
    ['a start before the first', changed('startBlock = 7', 'startBlock = -1'), ['chains[0].startBlock must be the number of the first block whose deposits are paid']],
    ['no end', changed('payableSeconds = 3600\n', ''), ['chains[0].payableSeconds is missing: give the seconds in which a deposit can be paid, 3600 to 31536000']],
    ['an early end', changed('= 3600', '= 3599'), ['chains[0].payableSeconds must be the seconds in which a deposit can be paid, 3600 to 31536000']],
    ['an endless destination', FILE.replaceAll('902', '9999999999999999'), ['chains[0].payouts must name destinations below 9007199254740992']],
    ['a mistyped checksum', changed(VAULT, `0x${'aB'.repeat(20)}`), ['chains[0].vault has a wrong checksum: a character is mistyped']],
    ['the zero address', changed(`redeemer = "${REDEEMER}"`, `redeemer = "${address('0')}"`), [`${MINE}.redeemer must not be the zero address`]],
    ['a token in two spellings', FILE.replaceAll(SOURCE, LETTERS) + PAYOUT.replaceAll(SOURCE, LETTERS.toUpperCase().replace('X', 'x')), ['chains[0].payouts has one token twice, in two spellings']],
    ['a cap in two spellings', FILE.replaceAll(PAID, LETTERS).replace('[[', `"${LETTERS.toUpperCase().replace('X', 'x')}" = 1\n[[`), [`caps.902.${LETTERS.toUpperCase().replace('X', 'x')} is given twice`]],
    ['a chain twice', FILE + CHAIN + PAYOUT, ['chains[1].chainId is given twice']],
    ['symbols that mean nothing', changed('quorum', `symbols = { A = "${SOURCE}" }\nquorum`), ['chains[0].symbols and destinationChainId go with event AccountDepositTo: Deposit states both itself']],
    ['no symbols', account('destinationChainId = 902'), ['chains[0].symbols and destinationChainId are needed with event AccountDepositTo, which states neither']],
    ['a token without a symbol', account(`destinationChainId = 902\nsymbols = { A = "${PAID}" }`), ['chains[0].symbols must have every source token of payouts']],
    ['a payout where nothing goes', account(`destinationChainId = 903\nsymbols = { A = "${SOURCE}" }`), ['chains[0].payouts must all be on destinationChainId, since no deposit goes elsewhere']],
  ])('of %s names it and repeats no value', (_, text, lines) => {
    expect(problemsOf(text)).toEqual(lines)
    expect(lines.join()).not.toContain('SECRET')
  })
})
