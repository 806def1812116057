import { join } from 'node:path'
import { type Row, rowsAt } from '../../../src/core/json.ts'
import { FIGURE_READS } from '../../../src/perp/figure-reads.ts'
import type { TestCaller } from '../../caller.ts'
import { type Answer, type InstanceProcess, startInstance } from '../../cluster/instances.ts'
import { sharedPostgres } from '../../cluster/postgres.ts'
import { startValkey } from '../../cluster/valkey.ts'
import { freePort } from '../../free-port.ts'
import { spawnPrepd, temporaryFolder } from '../../surface/spawned.ts'
import { askToLimit, newUser, post, signedBody, WALLETS } from '../../surface/wallets.ts'
import { UNLIMITED } from '../unlimited.ts'
import { ETH, isolated, KINDS, type Kind } from './opening-kinds.ts'

export type ExposureFigures = {
  /** Rounds after which the venue's own figures were above the limit, and orders that fitted and were refused. */
  readonly passed: readonly string[]
  readonly sent: number
  readonly refused: number
  readonly kills: number
  /** The largest share of the limit that was reached. */
  readonly reached: number
}

/** The value of the account, and its limit: its largest position, or its largest leverage. */
const LIMIT_USDC = 500
const LIMITS = {
  position: { maxPositionUsdc: String(LIMIT_USDC) },
  leverage: { maxLeverage: 1 },
} as const
export type RacedLimit = keyof typeof LIMITS
/** An order at a price of its own counts at that price; the venue values it at the mark. The market's price range is 3%. */
const MARK_SHARE = 1.03
const RACING = 3
/** The most that a write of a kind is worth, but an edit that claims more. */
const MOST_USDC = 95
/** How many rounds an account has: another has no writes that count beside its figures. */
const ACCOUNT_ROUNDS = 8

/**
 * Races orders and edits of every kind and margin mode over three instances on one venue, each an executable that is killed now and then, and
 * compares the venue's own figures with the limit of the account's mandate after each round.
 */
export async function raceExposure(
  rounds: number,
  random: () => number,
  raced: RacedLimit,
): Promise<ExposureFigures> {
  const place = await startPlace(raced)
  const { relay } = place
  const anyKind = () => {
    const kinds = KINDS.slice(Math.floor(random() * KINDS.length)).slice(0, 1)
    return random() < 0.5 ? kinds : kinds.map(isolated)
  }
  const passed: string[] = []
  let [sent, refused, kills, reached] = [0, 0, 0, 0]
  let [restingId, recentUsdc, isKnown] = [1, 0, true]
  try {
    for (let round = 0; round < rounds; round += 1) {
      if (round % ACCOUNT_ROUNDS === 0) {
        await place.changeAccount()
        ;[restingId, recentUsdc, isKnown] = [1, 0, true]
      }
      const mark = await place.mark()
      const before = await exposureOf(place)
      const isAlone = random() < 0.4
      const kinds = Array.from({ length: isAlone ? 1 : RACING }, anyKind).flat()
      // A write of a killed instance may have gone, so that it counts beside the figures.
      const isKilled = !isAlone && round > rounds / 2 && random() < 0.3
      const answers = Promise.all(kinds.map((kind) => relay(...kind.call(mark, restingId))))
      if (isKilled) {
        await place.kill(Math.floor(random() * RACING))
        kills += 1
        isKnown = false
      }
      for (const [at, { status, body }] of (await answers).entries()) {
        if (status === 200) {
          sent += 1
          recentUsdc += MOST_USDC
        }
        if (typeof body['order_id'] === 'number') restingId = body['order_id']
        if (body.code !== 'mandate_exceeded') continue
        refused += 1
        const kind = kinds[at]
        const isJudged = isAlone && isKnown && kind !== undefined
        if (isJudged && fitsSurely(kind, mark, withRecent(before, recentUsdc)))
          passed.push(`${kind.name} fitted: ${JSON.stringify({ before, body })}`)
      }
      const after = await exposureOf(place)
      const largest = Math.max(after.long, after.short)
      reached = Math.max(reached, largest / after.limitUsdc)
      // What is held passes a limit of leverage where the account loses.
      const hasGrown = largest > Math.max(before.long, before.short) * MARK_SHARE
      const isAbove = largest > after.limitUsdc * MARK_SHARE
      if (isAbove && (raced === 'position' || hasGrown))
        passed.push(`${kinds.map(({ name }) => name).join(', ')}: ${JSON.stringify(after)}`)
    }
    return { passed, sent, refused, kills, reached }
  } finally {
    await place.stop()
  }
}

type Place = Awaited<ReturnType<typeof startPlace>>

async function startPlace(raced: RacedLimit) {
  const folder = temporaryFolder()
  const port = freePort()
  const venue = spawnPrepd({
    settings: {
      ...{ DATA_DIR: join(folder.path, 'venue'), VENUE_LISTEN: `127.0.0.1:${port}` },
      ...{ VENUE_MARKETS: ETH, VENUE_ACTIVITY: 'sparse', ...UNLIMITED },
      ...(raced === 'leverage' && { VENUE_FAUCET: String(LIMIT_USDC) }),
    },
  })
  await venue.url()
  const [postgres, valkey] = await Promise.all([sharedPostgres(), startValkey()])
  const shared = {
    ...{ postgres: await postgres.newDatabase(), valkey: valkey.url },
    ...{ venue: `http://127.0.0.1:${port}`, settings: UNLIMITED },
  }
  const instances = await Promise.all([1, 2, 3].map(() => startInstance(shared)))
  const reader = await startInstance(shared)
  let caller = await limitedUser(reader, raced)
  let turn = 0
  return {
    ...{ reader, raced },
    caller: () => caller,
    changeAccount: async () => {
      caller = await limitedUser(reader, raced)
    },
    mark: async () => {
      const { body } = await reader.get('/api/prep/markets')
      return Number(rowsAt(body, 'markets').find((row) => row['symbol'] === ETH)?.['mark_price'])
    },
    /** Relays a write over the instances in turn, each with the reads that figures come from before it. */
    relay: async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
      turn += 1
      const instance = instances[turn % instances.length] ?? reader
      return relayed(instance, caller, { method, path, body }).catch(() => LOST)
    },
    kill: async (at: number) => {
      await instances[at]?.kill()
      instances[at] = await startInstance(shared)
    },
    stop: async () => {
      await Promise.all([...instances, reader].map(({ kill }) => kill()))
      venue.kill('SIGKILL')
      await Promise.all([venue.ended(), valkey.stop()])
      folder[Symbol.dispose]()
    },
  }
}

/** The answer of an instance that was killed. */
const LOST: Pick<Answer, 'status' | 'body'> = { status: 0, body: {} }

const MODE_READS = ['/v1/client/margin_modes', '/v1/client/leverages'] as const

type Write = {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: object | undefined
}

async function relayed(instance: InstanceProcess, caller: TestCaller, { body, ...write }: Write) {
  if (write.method !== 'DELETE')
    for (const path of [...MODE_READS, ...FIGURE_READS])
      await instance.relay({ method: 'GET', path }, caller)
  return instance.relay({ ...write, ...(body && { body: JSON.stringify(body) }) }, caller)
}

/** A user whose mandate has the limit, and whose isolated margin has a leverage that the limit allows. */
async function limitedUser(reader: InstanceProcess, raced: RacedLimit): Promise<TestCaller> {
  const target = { fetch: (path: string, init?: RequestInit) => fetch(reader.url + path, init) }
  const wallet = WALLETS.viem()
  const caller = await newUser(target, wallet)
  const body = JSON.stringify({ symbol: ETH, leverage: 1, margin_mode: 'ISOLATED' })
  const lowered = await reader.relay({ method: 'POST', path: '/v1/client/leverages', body }, caller)
  const limits = await askToLimit(target, wallet, LIMITS[raced])
  const signed = await post(target, '/api/prep/mandate', await signedBody(wallet, limits))
  for (const answer of [lowered, signed])
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return caller
}

/** The long and the short side by the venue's own figures, computed here, and the limit of each. */
async function exposureOf({ reader, caller, raced }: Place): Promise<Sides> {
  const [waiting, positions] = await Promise.all(
    FIGURE_READS.map(async (path) => (await reader.relay({ method: 'GET', path }, caller())).body),
  )
  const value = Number(positions?.['account_value'])
  const sides = { long: 0, short: 0, limitUsdc: raced === 'position' ? LIMIT_USDC : value }
  let mark = 0
  for (const row of rowsAt(positions, 'rows')) {
    const [held, buys, sells] = FIELDS.map((field) => Number(row[field]))
    mark = Number(row['mark_price'])
    sides.long += Math.max(0, (held ?? 0) + Math.abs(buys ?? 0)) * mark
    sides.short += Math.max(0, Math.abs(sells ?? 0) - (held ?? 0)) * mark
  }
  for (const row of rowsAt(waiting, 'rows').flatMap(withLegs)) {
    if (!opensLater(row)) continue
    const price = Math.max(mark, Number(row['trigger_price'] ?? 0))
    const usdc = (Number(row['quantity']) - Number(row['total_executed_quantity'])) * price
    sides[row['side'] === 'BUY' ? 'long' : 'short'] += usdc
  }
  return sides
}

const FIELDS = ['position_qty', 'pending_long_qty', 'pending_short_qty'] as const

const withLegs = (row: Row): readonly Row[] => [
  row,
  ...rowsAt(row, 'child_orders').flatMap(withLegs),
]

function opensLater(row: Row): boolean {
  const isOrder = row['algo_type'] === 'STOP' || row['algo_type'] === 'TRAILING_STOP'
  return isOrder && row['reduce_only'] !== true && row['is_triggered'] !== 'true'
}

type Sides = { readonly long: number; readonly short: number; readonly limitUsdc: number }

/** The sides with writes of the last second, which count beside figures that show them already. */
function withRecent({ long, short, limitUsdc }: Sides, usdc: number): Sides {
  return { long: long + usdc, short: short + usdc, limitUsdc }
}

/** Whether one order fits, whatever price it counts at within its market's range. */
function fitsSurely(kind: Kind, mark: number, before: Sides): boolean {
  const [method, path, body] = kind.call(mark, 0)
  const isKnown = method === 'POST' && path === '/v1/order'
  if (!isKnown) return false
  const { side, order_quantity, order_amount = 0 } = Object(body)
  const usdc =
    Math.max(Number(order_quantity ?? 0) * mark * 1.02, Number(order_amount)) * MARK_SHARE
  return (side === 'BUY' ? before.long : before.short) + usdc * 1.01 < before.limitUsdc
}
