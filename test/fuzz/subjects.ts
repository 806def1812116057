import { LIMITS } from '../../src/contract/limits.ts'
import { REMOVED_KEYS } from '../../src/contract/scrub-lists.ts'
import { VoucherBody } from '../../src/contract/voucher.ts'
import { Failure } from '../../src/core/failure.ts'
import { isObject, members, parseExact } from '../../src/core/json.ts'
import { scalarEnd, skipSpace, stringEnd, valueEnd } from '../../src/core/json-scan.ts'
import { parseBody } from '../../src/core/parse-body.ts'
import { parseQuery } from '../../src/core/query.ts'
import { createScrub, ScrubError } from '../../src/gateway/scrub/scrub.ts'
import { readSwapOrder } from '../../src/gateway/swap/order.ts'
import { WireError } from '../../src/gateway/swap/remote/wire.ts'
import { parseTransfer, parseWireQuote } from '../../src/gateway/swap/remote/wire-answers.ts'
import { logEmitters, parseDeposits } from '../../src/gateway/voucher/events.ts'
import { parseBlock, parseReceipt } from '../../src/gateway/voucher/receipt.ts'
import { bytesOf, CORPUS } from '../attack/corpus.ts'
import swapWire from '../vectors/swap-wire.json'
import shapes from '../vectors/venue-public-shapes.json'
import { checkLive, LIVE_TEXTS } from './live-messages.ts'
import type { FuzzedWorld } from './world.ts'

/** Something that reads texts of strangers: the texts it is used to, and what must hold whatever it is given. */
export type Subject = {
  readonly name: string
  readonly texts: readonly string[]
  /** Throws when something did not hold. */
  readonly check: (text: string) => void | Promise<void>
}

const SEED_MAX_CHARS = 4000
const DEPTH_MAX = 1_000_000
const HASH = `0x${'1'.repeat(64)}`

export function subjectsOf(world: FuzzedWorld): readonly Subject[] {
  return [
    {
      name: 'relay envelopes',
      texts: world.envelopes,
      check: async (text) => void (await world.post('/api/prep/relay', text)),
    },
    { name: 'agent messages', texts: MESSAGES, check: (text) => checkMessage(world, text) },
    { name: 'JSON scanner', texts: JSONS, check: checkScan },
    { name: 'scrub', texts: JSONS, check: checkScrub },
    { name: 'swap bodies', texts: SWAPS, check: checkSwap },
    {
      name: 'swap queries',
      texts: QUERIES,
      check: (text) => allowing(Failure, () => readSwapOrder(parseQuery(text))),
    },
    {
      name: 'voucher bodies',
      texts: VOUCHERS,
      check: (text) => allowing(Failure, () => parseBody(VoucherBody, text)),
    },
    { name: 'receipts', texts: RECEIPTS, check: checkReceipt },
    { name: 'live messages', texts: LIVE_TEXTS, check: checkLive },
  ]
}

/** The bodies of a subject of the attack corpus, as far as they are short. */
function corpusBodies(subject: string): string[] {
  const rows = CORPUS.filter(([name]) => name === subject).flatMap(([, group]) => group.rows)
  const texts = rows.flatMap(({ body, json }) =>
    body === undefined
      ? [json === undefined ? '' : JSON.stringify(json)]
      : [bytesOf(body).toString()],
  )
  return texts.filter((text) => text !== '' && text.length <= SEED_MAX_CHARS)
}

/** The parts of some vectors as texts of their own. */
function partsOf(value: unknown): string[] {
  const parts = isObject(value) ? Object.values(value) : [value]
  return parts.map((part) => JSON.stringify(part)).filter((text) => text.length <= SEED_MAX_CHARS)
}

const MESSAGES = corpusBodies('agent')
const NAMED =
  '{"symbol":"PERP_BTC_USDC_x","a":[{"broker_id":"WOOFi","note":"via LI.FI"},1.50,-0,98765432109876543210],"\\u0070rovider":"x","orderly_key":"k"}'
const JSONS = [NAMED, ...partsOf(shapes), ...partsOf(swapWire), ...corpusBodies('texts')]
const SWAPS = partsOf(swapWire)
const QUERIES = [
  `?fromChain=42161&toChain=8453&fromToken=0x${'a'.repeat(40)}&toToken=0x${'0'.repeat(40)}&fromAmount=100000000&fromAddress=0x${'5'.repeat(40)}&slippageBps=50&order=CHEAPEST`,
  ...CORPUS.filter(([name]) => name === 'swaps')
    .flatMap(([, { rows }]) => rows)
    .map(({ path }) =>
      bytesOf(path ?? '')
        .toString()
        .replace(/^[^?]*/, ''),
    ),
]
const VOUCHERS = [`{"chainId":42161,"txHash":"${HASH}","logIndex":3}`, ...corpusBodies('vouchers')]

const VAULT = `0x${'11'.repeat(20)}`
const LOG = {
  address: VAULT,
  topics: [
    `0x${'22'.repeat(32)}`,
    `0x${'00'.repeat(31)}01`,
    `0x${'00'.repeat(12)}${'33'.repeat(20)}`,
    `0x${'00'.repeat(12)}${'44'.repeat(20)}`,
  ],
  data: `0x${'00'.repeat(96)}`,
  logIndex: '0x0',
  transactionHash: HASH,
  blockHash: HASH,
  removed: false,
}
const RECEIPTS = [
  JSON.stringify({
    transactionHash: HASH,
    blockNumber: '0x10',
    blockHash: HASH,
    status: '0x1',
    logs: [LOG],
  }),
  JSON.stringify({
    transactionHash: HASH,
    blockNumber: '0x10',
    blockHash: HASH,
    status: '0x0',
    logs: [],
  }),
  JSON.stringify({ number: '0x10', hash: HASH, timestamp: '0x65' }),
]

type ErrorClass = abstract new (...args: never[]) => Error

/** Runs something that may throw errors of one kind alone. */
function allowing<T>(kind: ErrorClass, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof kind) return undefined
    throw error
  }
}

function parsed(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

function assert(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}

async function checkMessage(world: FuzzedWorld, text: string): Promise<void> {
  const body = await world.post('/mcp', text)
  if (body === null) return
  assert(isObject(body) && body['jsonrpc'] === '2.0', 'no JSON-RPC')
  assert(Object(Object(body).error).code !== -32_603, 'an internal error')
}

// Other texts than JSON are none of its business, but it ends on them, and within them.
function checkScan(text: string): void {
  for (const end of [
    stringEnd(text, 0),
    scalarEnd(text, 0),
    skipSpace(text, 0),
    valueEnd(text, 0, DEPTH_MAX),
  ])
    assert(end >= 0 && end <= text.length + 1, `ends at ${end}`)
  const json = parsed(text)
  const exact = allowing(RangeError, () =>
    allowing(SyntaxError, () => ({ value: parseExact(text, LIMITS.scrubDepthMax) })),
  )
  if (!json) {
    assert(exact === undefined, 'takes what is not JSON')
    return
  }
  const start = skipSpace(text, 0)
  assert(skipSpace(text, valueEnd(text, start, DEPTH_MAX)) === text.length, 'another end')
  if (exact) assert(sameJson(exact.value, json.value), 'another value')
  const spans = allowing(RangeError, () => members(text, LIMITS.scrubDepthMax))
  for (const [key, { start: from, end }] of spans ?? []) {
    const own = Object.getOwnPropertyDescriptor(json.value, key)
    assert(sameJson(JSON.parse(text.slice(from, end)), own?.value), `another member ${key}`)
  }
}

/** Numbers that parseExact keeps as they were spelled are those numbers. */
function sameJson(exact: unknown, value: unknown): boolean {
  return JSON.stringify(JSON.parse(JSON.stringify(exact))) === JSON.stringify(value)
}

const scrub = createScrub({ names: [] })

function checkScrub(text: string): void {
  const policy = { audience: 'public' } as const
  const once = allowing(ScrubError, () => scrub.text(text, policy).text())
  if (once === undefined || parsed(text) === null) return
  const json = parsed(once)
  assert(json !== null, 'makes what is not JSON')
  assert(scrub.text(once, policy).text() === once, 'changes its own answer')
  assert(!keysOf(json?.value).some((key) => REMOVED_KEYS.includes(key)), 'leaves a key')
}

function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf)
  if (!isObject(value)) return []
  return [...Object.keys(value), ...Object.values(value).flatMap(keysOf)]
}

function checkSwap(text: string): void {
  const json = parsed(text)
  if (!json || !isObject(json.value)) return
  const row = json.value
  allowing(WireError, () => parseWireQuote(row))
  allowing(WireError, () => parseTransfer(row, HASH))
}

function checkReceipt(text: string): void {
  const json = parsed(text)
  if (!json) return
  parseBlock(json.value)
  for (const event of ['Deposit', 'AccountDepositTo'] as const) {
    const rules = { vault: VAULT, event, symbols: new Map(), destinationChainId: 1 }
    const receipt = parseReceipt(json.value, HASH, logEmitters(rules))
    if (receipt) parseDeposits(receipt, rules)
  }
}
