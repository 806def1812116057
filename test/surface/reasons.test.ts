// Slow: the deadline of a body is five seconds.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { MANDATE_PATH } from '../../src/contract/act-paths.ts'
import { REASONS, type Reason } from '../../src/contract/failures.ts'
import { signText } from '../../src/core/crypto/signing.ts'
import { repliesIn, runStdio } from '../agents/binary.ts'
import { request, toolText } from '../agents/rpc.ts'
import { openEmbeddedWorld, type ToolWorld } from '../agents/tool-world.ts'
import { envelope, jsonPost, newCaller, type TestCall, type TestCaller } from '../caller.ts'
import {
  QUOTE_QUERY,
  startSwapUpstream,
  stopSwapUpstreams,
  type WireName,
} from '../gateway/swap/fixture.ts'
import { openSocket } from '../live/clients.ts'
import {
  type AnswerSpec,
  type RecordingUpstream,
  startRecordingUpstream,
} from '../recording-upstream.ts'
import { openTarget, type Target } from '../target.ts'
import { approvalRequests } from './approval-requests.ts'
import { ADVANCE, asked, CANDLES, type Failure, RELAY, SYMBOL } from './asked.ts'
import { limitRequests } from './limit-requests.ts'
import { refusalAfterLoss } from './lost-store.ts'
import { orderRequests } from './order-requests.ts'
import { rawExchange } from './spawned.ts'
import { newUser, spentNonceBody } from './wallets.ts'

const KEY = 'the-operator-key-of-the-test-of-reasons'
const BLOCKED = '203.0.113.9'
const REGISTER = '/api/prep/register'

let world: ToolWorld
let binary: Target
let url = ''
/** Before a venue and a router that answer what a test has them say. */
let recorded: Target
let venue: RecordingUpstream
let venueSays: AnswerSpec = { json: {} }
const swapSays: Partial<Record<WireName, AnswerSpec>> = {}

beforeAll(async () => {
  world = await openEmbeddedWorld({ SWAP: 'embedded', OPERATOR_KEY: KEY })
  binary = await openTarget('compiled binary')
  url = (await binary.listening()).public
  venue = await startRecordingUpstream(() => venueSays)
  const router = await startSwapUpstream(swapSays)
  recorded = await openTarget('in process', {
    VENUE: venue.url,
    SWAP: router.url,
    OPERATOR_KEY: KEY,
  })
})
afterEach(() => {
  delete swapSays.quote
})
afterAll(async () => {
  await world.stop()
  await binary.stop()
  await recorded.stop()
  await venue.stop()
  await stopSwapUpstreams()
})

const read = (path: string) => asked(world, path)
const posted = (path: string, body: unknown) => asked(world, path, jsonPost(body))

function quote(change: Readonly<Record<string, string>>, target: Pick<Target, 'fetch'> = world) {
  return asked(target, `/api/swap/quote?${new URLSearchParams({ ...QUOTE_QUERY, ...change })}`)
}

function unrouted(errors: object): Promise<Failure> {
  swapSays.quote = { status: 404, json: { message: '', code: 1002, errors } }
  return quote({}, recorded)
}

/** What is said when every tool of the router gives one reason. */
function unquoted(code: string): Promise<Failure> {
  const subpaths = { 'a-b': [{ errorType: 'NO_QUOTE', code }] }
  return unrouted({ failed: [{ overallPath: 'a', subpaths }] })
}

/** What is said when the venue refuses a key in these words. */
function refusedKey(message: string): Promise<Failure> {
  venueSays = { status: 401, json: { success: false, code: -1002, message } }
  const call = { method: 'GET', path: '/v1/positions' } as const
  return asked(recorded, RELAY, jsonPost(envelope(newCaller(), call)))
}

function relayed(caller: TestCaller, call: TestCall): Promise<Failure> {
  return posted(RELAY, envelope(caller, call))
}

const tool = (name: string, args: object): Promise<Failure> => world.refused(name, args)

/** The error that a socket gets for one of its messages. */
async function failureOf(...messages: readonly object[]): Promise<Failure> {
  const socket = await openSocket(url)
  for (const message of messages) {
    const from = socket.messages.length
    socket.send(message)
    await socket.next((next) => socket.messages.indexOf(next) >= from && next.type !== 'hello')
  }
  const { code = '', meta = {} } = await socket.next(({ type }) => type === 'error')
  socket.close()
  return { code, meta }
}

function proof({ accountId, key, secret }: TestCaller) {
  const timestamp = String(Date.now())
  return { op: 'auth', accountId, key, timestamp, signature: signText(timestamp, secret) }
}

async function late(): Promise<Failure> {
  const head = `POST ${RELAY} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
  const answer = await rawExchange(url, `${head}Content-Length: 9\r\n\r\n{`)
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
}

async function ambiguous(): Promise<Failure> {
  const token = (address: string) => ({ address, symbol: 'TWIN', decimals: 18, name: 'Twin' })
  const chains = {
    rows: [
      { chainId: 42161, name: 'Arbitrum' },
      { chainId: 8453, name: 'Base' },
    ],
  }
  const rows = [token(`0x${'1'.repeat(40)}`), token(`0x${'2'.repeat(40)}`)]
  const client = {
    ...world.client,
    get: async (path: string) => (path.includes('chains') ? chains : { rows, total: 2 }),
  }
  const asking = {
    from_chain: '42161',
    to_chain: '8453',
    from_token: 'TWIN',
    to_token: 'TWIN',
    amount: '1',
  }
  const { code, meta } = await world.refused('get_swap_quote', asking, { client })
  return { code, meta }
}

async function blocked(): Promise<Failure> {
  const { headers, ...post } = jsonPost({ caller: BLOCKED })
  await recorded.ops('/api/admin/blocks/add', {
    ...post,
    headers: { ...headers, authorization: `Bearer ${KEY}` },
  })
  return asked(recorded, '/api/prep/catalogue', { headers: { 'x-forwarded-for': BLOCKED } })
}

/** What is said to an operator's request that comes with these headers. */
const operators = (headers: Readonly<Record<string, string>>) =>
  asked(recorded, '/api/admin/status', { headers: { authorization: `Bearer ${KEY}`, ...headers } })

async function busyFolder(): Promise<Failure> {
  const DATA_DIR = '/dev/null/data'
  const finished = await runStdio(
    [request('tools/call', { name: 'list_markets', arguments: {} })],
    { PREPD_DATA_DIR: DATA_DIR },
  )
  return Object(toolText(repliesIn(finished)[0])).value
}

/** One request for each reason. */
const SCENES: Readonly<Record<Reason, () => Promise<Failure>>> = {
  missing: () => read(CANDLES),
  malformed: () => read(`${CANDLES}?symbol=ETH`),
  repeated: () => read(`${CANDLES}?symbol=${SYMBOL}&symbol=${SYMBOL}`),
  conflicting: () => relayed(newCaller(), { method: 'GET', path: '/v1/positions', body: '{}' }),
  too_short: () => relayed(newCaller(), { method: 'GET', path: '/' }),
  too_long: () => read(`${CANDLES}?symbol=${'x'.repeat(600)}`),
  out_of_range: () => quote({ slippageBps: '5000' }),
  clock: () =>
    relayed(newCaller(), { method: 'GET', path: '/v1/positions', timestamp: '1700000000000' }),
  ...orderRequests(relayed, () => newUser(world)),
  unknown_argument: () =>
    tool('place_order', { symbol: SYMBOL, side: 'BUY', order_type: 'MARKET', leverage: 5 }),
  spent: async () => posted(REGISTER, await spentNonceBody(world)),
  not_json: () => posted(REGISTER, '{'),
  not_utf8: () => asked(world, REGISTER, { ...jsonPost(''), body: new Uint8Array([0xff]) }),
  too_deep: () => posted(REGISTER, '['.repeat(100)),
  late,
  holds_key: () => tool('get_market', { symbol: 'a1'.repeat(32) }),
  unknown_route: () => read('/api/prep/market'),
  unknown_operation: () => read('/api/prep/op/markets.lst'),
  unknown_market: () => read(`${CANDLES}?symbol=PERP_ETHH_USDC`),
  unknown_topic: () => failureOf({ op: 'subscribe', topics: ['nope'] }),
  no_position: () => tool('close_position', { symbol: SYMBOL }),
  unknown_chain: () => quote({ toChain: '5' }),
  unknown_token: () => quote({ toToken: `0x${'7'.repeat(40)}` }),
  ambiguous,
  would_trade: () =>
    tool('place_order', {
      symbol: SYMBOL,
      side: 'BUY',
      order_type: 'POST_ONLY',
      order_price: 2600,
      order_quantity: 1,
    }),
  data_dir: busyFolder,
  blocked,
  no_mandate: async () => {
    const freeze = { method: 'PUT', path: MANDATE_PATH, body: '{"frozen":true}' } as const
    return asked(binary, RELAY, jsonPost(envelope(await newUser(binary), freeze)))
  },
  restored: refusalAfterLoss,
  operator_only: () => asked(world, RELAY, jsonPost(envelope(world.credentials, ADVANCE))),
  not_relayed: () => relayed(newCaller(), { method: 'GET', path: '/v1/position' }),
  foreign_host: () => operators({ host: 'rebound.example' }),
  foreign_origin: () => operators({ origin: 'https://evil.example' }),
  one_account: async () => failureOf(proof(await newUser(binary)), proof(newCaller())),
  contract_wallet: async () => {
    const body = await spentNonceBody(world)
    return posted(REGISTER, { ...body, signature: `0x${'ab'.repeat(96)}` })
  },
  key_expired: () => refusedKey('orderly key expired'),
  key_unknown: () => refusedKey('key was revoked'),
  scope: () => refusedKey('permission denied'),
  credentials: () => refusedKey('no'),
  ...limitRequests(() => world, KEY),
  ...approvalRequests(
    () => world,
    () => recorded,
    (answer) => {
      venueSays = answer
    },
  ),
  no_path: () => unquoted('NO_POSSIBLE_ROUTE'),
  insufficient_liquidity: () => unquoted('INSUFFICIENT_LIQUIDITY'),
  recipient_not_supported: () => unquoted('DIFFERENT_RECIPIENT_NOT_SUPPORTED'),
  slippage_too_low: () => unquoted('CANNOT_GUARANTEE_MIN_AMOUNT'),
  price_impact: () => unrouted({ filteredOut: [{ reason: 'Price impact' }] }),
}

describe('the reasons of failures', () => {
  test.each(Object.keys(REASONS).filter((name): name is Reason => Object.hasOwn(REASONS, name)))(
    '%s is given by a request, with a failure of its row',
    async (reason) => {
      const { code, meta } = await SCENES[reason]()
      expect(meta).toMatchObject({ reason })
      const codes: readonly string[] = REASONS[reason].codes
      expect(codes).toContain(code)
    },
  )
})
