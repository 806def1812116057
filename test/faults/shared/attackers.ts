import { STANDBY_PATH } from '../../../src/contract/standby.ts'
import { WEBHOOK_PATH } from '../../../src/contract/webhook.ts'
import { envelope, jsonPost, newCaller, type TestCall, type TestCaller } from '../../caller.ts'
import {
  askToLimit,
  type Fetcher,
  newUser,
  post,
  signedBody,
  type TestWallet,
  type ToSign,
  WALLETS,
} from '../../surface/wallets.ts'
import type { Served } from './honest.ts'
import { stall } from './stalled-bodies.ts'

/** An attacker's address, and where it attacks until the signal. */
export type AttackPlace = {
  readonly served: Served
  readonly address: string
  readonly signal: AbortSignal
  /** How often it was answered with which status or code. */
  readonly answers: Map<string, number>
}

/** Takes all it can of one bound. */
export type Attack = (place: AttackPlace) => Promise<void>

/** In a call: the venue answers never, with a large body, or after a while. */
export const [HANGS, SWELLS, LINGERS] = ['that-hangs', 'that-swells', 'PERP_LINGERS_USDC'] as const
/** How the markets begin that nobody has asked for before. */
export const NEW_MARKET = 'PERP_NEW'
/** Between two calls: what the default windows of an account admit. */
const PAUSE_MS = 200
const STANDBYS = 80
const STANDBY_AHEAD_MS = 60_000
const SYMBOL = 'PERP_ETH_USDC'

/** By the bound, in the words of the table in SECURITY.md: how it is attacked. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  claimsHeldMax: attackWith({ each: () => batch(null), atOnce: 8 }),
  'Client ids, each held for a day: half of claimsHeldMax': attackWith(
    { each: () => batch('batch'), atOnce: 8 },
    { onceByClientOrderId: true },
  ),
  spendingRowsMax: attackWith(
    { each: () => batch(null), atOnce: 8 },
    { maxOrdersPerMinute: 100_000 },
  ),
  'waitingMax of approvals': attackWith({ each: () => buy('asks') }, { approveAboveUsdc: '0' }),
  'sendingMax of standby cancels': armStandbys([]),
  "entriesMax of the agents' journal": askAsAgent,
  'deliveriesMax of webhooks': armStandbys(['first', 'second', 'third']),
  limiterKeysMax: comeFromEverywhere,
  httpBodiesMaxBytes: stall,
  upstreamConcurrentMax: attackWith({ each: () => buy(HANGS), atOnce: 60 }),
  postgresQueuedMax: attackWith({ each: () => buy('crowds'), atOnce: 60 }),
  cacheDiskMinuteMaxBytes: readEverything,
  replayAnswersMaxBytes: attackWith({ each: () => buy(SWELLS) }),
}

let orders = 0

/** An order with an id that no other has, where it is to have one. */
function order(word: string | null) {
  orders += 1
  const own = word === null ? {} : { client_order_id: `attack-${word}-${orders}` }
  return {
    ...{ symbol: SYMBOL, side: 'BUY', order_type: 'LIMIT', order_price: 0.1, order_quantity: 0.1 },
    ...own,
  }
}

function buy(word: string): TestCall {
  return { method: 'POST', path: '/v1/order', body: JSON.stringify(order(word)) }
}

function batch(word: string | null): TestCall {
  const body = JSON.stringify({ orders: Array.from({ length: 10 }, () => order(word)) })
  return { method: 'POST', path: '/v1/batch-order', body }
}

type Calls = {
  readonly each: () => TestCall
  /** How many calls wait for their answers at a time; absent: one. */
  readonly atOnce?: number
}

/** An account, with limits of its own where some are given, that sends one call after another. */
function attackWith({ each, atOnce = 1 }: Calls, limits?: object): Attack {
  return (place) =>
    inEachLife(place, async (life) => {
      const { user } = await newAttacker(life, limits)
      async function go(): Promise<void> {
        while (life.isOn()) {
          await relayed(life, envelope(user, each()))
          await Bun.sleep(atOnce * life.pauseMs())
        }
      }
      await Promise.all(Array.from({ length: atOnce }, go))
    })
}

/** One start of prepd, as an attacker sees it. */
type Life = {
  readonly target: Fetcher
  readonly isOn: () => boolean
  readonly pauseMs: () => number
}

/** Attacks anew each time prepd has started: what an attacker had may be lost. */
async function inEachLife(
  { served, address, signal, answers }: AttackPlace,
  attack: (life: Life) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const { url, generation } = served
    async function fetched(path: string, init?: RequestInit): Promise<Response> {
      const answer = await fetch(url + path, from(address, init))
      const body = await answer.text()
      const [, code = String(answer.status)] = /"code":"(\w+)"/.exec(body) ?? []
      answers.set(code, (answers.get(code) ?? 0) + 1)
      return new Response(body, answer)
    }
    const life: Life = {
      target: { fetch: fetched },
      isOn: () => !signal.aborted && !served.isAway && served.generation === generation,
      pauseMs: () => (served.isUnbound ? 0 : PAUSE_MS),
    }
    // An outage may end any call.
    if (life.isOn() && served.isAttacked) await attack(life).catch(() => null)
    await Bun.sleep(PAUSE_MS)
  }
}

/** A request of an address, unless it names one. */
function from(address: string, init: RequestInit = {}): RequestInit {
  return { ...init, headers: { 'x-forwarded-for': address, ...Object(init.headers) } }
}

/** An outage may end any call. */
async function relayed({ target }: Pick<Life, 'target'>, signed: unknown): Promise<void> {
  await target.fetch('/api/prep/relay', jsonPost(signed)).catch(() => null)
}

async function newAttacker({ target }: Life, limits?: object) {
  const wallet = WALLETS.viem()
  const user = await newUser(target, wallet)
  if (limits) {
    const toSign = await askToLimit(target, wallet, limits)
    const { status } = await post(target, '/api/prep/mandate', await signedBody(wallet, toSign))
    if (status !== 200) throw new Error(`the limits of an attacker: ${status}`)
  }
  return { wallet, user }
}

/** Many standbys of one account that are due in the same second, with webhooks that are called for each. */
function armStandbys(hooks: readonly string[]): Attack {
  return (place) =>
    inEachLife(place, async (life) => {
      const { wallet, user } = await newAttacker(life)
      for (const name of hooks) await addWebhook(life, wallet, `https://${name}.prepd.invalid/`)
      while (life.isOn()) {
        const dueMs = Date.now() + STANDBY_AHEAD_MS
        for (let at = 0; at < STANDBYS && life.isOn(); at += 1) {
          await armStandby(life, newCaller(user.accountId), dueMs)
          await Bun.sleep(life.pauseMs())
        }
        while (life.isOn() && Date.now() < dueMs) await Bun.sleep(PAUSE_MS)
      }
    })
}

async function armStandby(life: Life, key: TestCaller, dueMs: number): Promise<void> {
  await relayed(life, envelope(key, { method: 'GET', path: '/v1/positions' }))
  const path = `/v1/orders?symbol=${LINGERS}`
  const envelopes = [envelope(key, { method: 'DELETE', path })]
  const afterMs = Math.max(10_000, dueMs - Date.now())
  await post(life.target, STANDBY_PATH, { envelopes, afterMs })
}

async function addWebhook({ target }: Life, wallet: TestWallet, url: string): Promise<void> {
  const asked = { kind: 'webhook', chainId: 42_161, action: 'add', url, events: ['standby.fired'] }
  const body = { ...asked, address: wallet.address }
  const toSign = (await post(target, '/api/prep/typed-data', body)).body as ToSign
  await post(target, WEBHOOK_PATH, await signedBody(wallet, toSign))
}

/** An agent whose writes fill the journal. */
function askAsAgent(place: AttackPlace): Promise<void> {
  return inEachLife(place, async (life) => {
    const { user } = await newAttacker(life)
    const headers = {
      'x-account-id': user.accountId,
      'x-trading-key': Buffer.from(user.secret).toString('hex'),
    }
    const params = { name: 'cancel_all_orders', arguments: {} }
    const init = jsonPost({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const called = { ...init, headers: { ...Object(init.headers), ...headers } }
    while (life.isOn()) {
      await life.target.fetch('/mcp', called)
      await Bun.sleep(life.pauseMs())
    }
  })
}

/** A caller of each network: each takes a rate window of its own. */
function comeFromEverywhere(place: AttackPlace): Promise<void> {
  return inEachLife(place, async ({ target, isOn }) => {
    for (let at = 0; isOn(); at += 1) {
      const network = `2001:db8:${(at >> 16).toString(16)}:${(at & 0xffff).toString(16)}::1`
      await target.fetch('/api/prep/relay', from(network, jsonPost({})))
      await Bun.sleep(PAUSE_MS / 10)
    }
  })
}

/** Reads whose answers are all kept on the disk: each has a parameter of its own. */
function readEverything(place: AttackPlace): Promise<void> {
  return inEachLife(place, async ({ target, isOn, pauseMs }) => {
    for (let at = 0; isOn(); at += 1) {
      const path = `/api/prep/op/markets.rulesFor?symbol=${NEW_MARKET}${at}_USDC`
      await target.fetch(path)
      await Bun.sleep(pauseMs())
    }
  })
}
