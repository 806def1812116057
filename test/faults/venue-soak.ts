import { join } from 'node:path'
import { FAULTS } from '../../src/contract/venue/faults.ts'
import { median, residentMb } from '../bench/measure.ts'
import { envelope, jsonPost, type TestCaller } from '../caller.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import { OPERATOR_KEY } from '../surface/venue-fixture.ts'
import { newUser, WALLETS } from '../surface/wallets.ts'
import { UNLIMITED } from './unlimited.ts'

/** What became of a venue with all its agents, under users who trade at random, faults and kills. */
export type VenueFigures = {
  readonly events: number
  readonly days: number
  readonly orders: number
  readonly answered: number
  readonly kills: number
  readonly liquidations: number
  /** Of these, in how many the other side was deleveraged. */
  readonly deleveraged: number
  /** Orders that were answered, and that the venue does not know after a kill. */
  readonly lost: readonly string[]
  /** Invariants that were broken, and answers out of no list. */
  readonly strange: readonly string[]
  /** Resident memory at the end of lives: of those between a third and two thirds of the way, and of the last third. */
  readonly warmMb: number
  readonly endMb: number
}

const USERS = 12
const KEY_LIFE_MS = 300 * 86_400_000
const ORDERS_A_STEP = 40
const STEP = '10m'
const STEPS_A_LIFE = 24
/** How many of the last answered orders are looked up after a kill. */
const LOOKED_UP = 30
const SYMBOLS = ['PERP_BTC_USDC', 'PERP_ETH_USDC', 'PERP_SOL_USDC', 'PERP_SUI_USDC'] as const
/** What keeps a call for seconds is left out: it would be a soak of waiting. */
const KINDS = Object.keys(FAULTS).filter((kind) => !['stall', 'huge', 'stale'].includes(kind))

type Life = { readonly url: string; readonly prepd: ReturnType<typeof spawnPrepd> }
type Answered = { readonly user: TestCaller; readonly id: string }

/** Lets a venue live until so many of its events have happened, and ends it in a crash with deleveraging. */
export async function soakVenue(
  eventsMin: number,
  random: () => number,
  report: (line: string) => void = () => undefined,
): Promise<VenueFigures> {
  const folder = temporaryFolder()
  const settings = {
    DATA_DIR: join(folder.path, 'data'),
    VENUE_CLOCK: 'virtual',
    VENUE_FAUCET: '5000',
    OPERATOR_KEY,
    ...UNLIMITED,
  }
  const answered: Answered[] = []
  const strange: string[] = []
  const lost: string[] = []
  const memory: number[] = []
  const counts = { orders: 0, kills: 0, events: 0, startMs: 0, nowMs: 0 }
  let life = await begin()
  const users = await registered(life.url)

  async function begin(): Promise<Life> {
    const prepd = spawnPrepd({ settings })
    return { prepd, url: await prepd.url() }
  }

  async function command(word: string, parameters: object = {}) {
    const post = jsonPost(parameters)
    const headers = { ...Object(post.headers), authorization: `Bearer ${OPERATOR_KEY}` }
    const response = await fetch(`${life.url}/api/admin/venue/${word}`, { ...post, headers })
    const body = Object(await response.json())
    if (!response.ok) strange.push(`${word}: ${response.status} ${body.code}`)
    return body
  }

  async function relay(user: TestCaller, method: 'GET' | 'POST', path: string, body?: object) {
    const signed = envelope(user, { method, path, ...(body && { body: JSON.stringify(body) }) })
    const response = await fetch(`${life.url}/api/prep/relay`, jsonPost(signed))
    return { status: response.status, body: Object(await response.json()) }
  }

  async function order(): Promise<void> {
    const user = users[Math.floor(random() * users.length)]
    if (!user) return
    counts.orders += 1
    const { status, body } = await relay(user, 'POST', '/v1/order', randomOrder(random))
    if (status === 200 && body.order_id) answered.push({ user, id: String(body.order_id) })
    if (status === 500) strange.push(`order: ${status} ${body.code}`)
  }

  async function look(): Promise<void> {
    const { broken, events, nowMs } = await command('check')
    if (broken.length > 0) strange.push(...broken.slice(0, 5))
    counts.events = events
    counts.startMs ||= nowMs
    counts.nowMs = nowMs
  }

  async function kill(): Promise<void> {
    memory.push(residentMb(life.prepd.pid))
    const flying = Array.from({ length: ORDERS_A_STEP }, () => order().catch(() => undefined))
    await Bun.sleep(random() * 60)
    life.prepd.kill('SIGKILL')
    await life.prepd.ended()
    await Promise.all(flying)
    counts.kills += 1
    life = await begin()
    await command('faults/clear')
    for (const { user, id } of answered.slice(-LOOKED_UP)) {
      const { status } = await relay(user, 'GET', `/v1/order/${id}`)
      if (status !== 200) lost.push(`${id}: ${status}`)
    }
  }

  async function liveOn(): Promise<void> {
    for (let step = 0; step < STEPS_A_LIFE && counts.events < eventsMin; step++) {
      await command('faults/clear')
      const kind = KINDS[Math.floor(random() * KINDS.length)]
      await command('faults/add', { kind, probability: 0.2, ms: 40 })
      await Promise.all(Array.from({ length: ORDERS_A_STEP }, order))
      await command('clock/advance', { by: STEP })
      await look()
    }
  }

  while (counts.events < eventsMin) {
    await liveOn()
    await kill()
    report(`${counts.events} events, ${counts.kills} kills, ${memory.at(-1)?.toFixed(0)} MB`)
  }
  for (let wave = 0; wave < 4; wave++) {
    await command('crowd', { symbol: 'all', side: 'BUY', usdc: 40_000, leverage: 25 })
    await command('clock/advance', { by: STEP })
  }
  await command('price/gap', { symbol: 'all', share: '-50%' })
  await command('clock/advance', { by: STEP })
  await look()
  const response = await fetch(`${life.url}/api/prep/op/liquidations.history?size=500`)
  const { rows = [] } = Object(await response.json())
  life.prepd.kill('SIGTERM')
  await life.prepd.ended()
  folder[Symbol.dispose]()
  return {
    events: counts.events,
    days: (counts.nowMs - counts.startMs) / 86_400_000,
    orders: counts.orders,
    answered: answered.length,
    kills: counts.kills,
    liquidations: rows.length,
    deleveraged: rows.filter(({ type }: { type: string }) => type === 'adl').length,
    lost,
    strange,
    warmMb: median(
      memory.slice(Math.floor(memory.length / 3), Math.floor((2 * memory.length) / 3)),
    ),
    endMb: median(memory.slice(Math.floor((2 * memory.length) / 3))),
  }
}

async function registered(url: string): Promise<readonly TestCaller[]> {
  const target = { fetch: (path: string, init?: RequestInit) => fetch(url + path, init) }
  const users: TestCaller[] = []
  // Keys age by the venue's clock, of which days pass here.
  const endsMs = Date.now() + KEY_LIFE_MS
  for (let user = 0; user < USERS; user++) users.push(await newUser(target, WALLETS.viem(), endsMs))
  return users
}

/** An order that may rest, fill or be refused. */
function randomOrder(random: () => number): object {
  const symbol = SYMBOLS[Math.floor(random() * SYMBOLS.length)] ?? SYMBOLS[0]
  const side = random() < 0.5 ? 'BUY' : 'SELL'
  const quantity = QUANTITIES[symbol] * (1 + Math.floor(random() * 20))
  const terms = { symbol, side, order_quantity: Number(quantity.toFixed(4)) }
  return random() < 0.6
    ? { ...terms, order_type: 'MARKET' }
    : { ...terms, order_type: side === 'BUY' ? 'BID' : 'ASK', level: Math.floor(random() * 5) }
}

const QUANTITIES: Readonly<Record<(typeof SYMBOLS)[number], number>> = {
  PERP_BTC_USDC: 0.001,
  PERP_ETH_USDC: 0.01,
  PERP_SOL_USDC: 0.2,
  PERP_SUI_USDC: 10,
}
