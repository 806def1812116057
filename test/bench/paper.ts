import { readFileSync, writeFileSync } from 'node:fs'
import type { EmbeddedVenue } from '../../src/simulator/embedded.ts'
import type { EngineOrder } from '../../src/simulator/state/state.ts'
import {
  bestOf,
  known,
  openLive,
  openPaper,
  passBoth,
  taken,
  userOf,
} from '../simulator/paper/fixture.ts'

/**
 * Sends the same small orders to a venue and to practice on it, for an hour of an embedded venue that stands for the live
 * one, and prints how their outcomes differ: `bun test/bench/paper.ts [ORDERS] [--write]`. `--write` puts the table into
 * `config/reference/paper.md`. Ends with 1 unless the median difference of prices is 0.
 */

const [ordersText = '500', write] = process.argv.slice(2)
const ORDERS = Number(ordersText)
const HOUR_MS = 3_600_000
const EVERY_MS = HOUR_MS / ORDERS
/** How long an order that rests may wait. */
const REST_MS = 60_000
/** 0.01 ETH in steps. */
const QUANTITY = 100
const PAGE = 'config/reference/paper.md'

type Pair = {
  readonly paper: EngineOrder
  readonly live: EngineOrder
  readonly isResting: boolean
  untilMs: number
}

const live = openLive(42)
const { paper } = await openPaper(live)
await known(live, paper)
const users = [paper, live].map((venue) => userOf(venue, 'a'))
for (const user of users) user.fund(1e13)
const pairs: Pair[] = []
for (let at = 0; at < ORDERS; at += 1) {
  pairs.push(placed(at))
  await passBoth(live, paper, EVERY_MS)
  for (const pair of pairs) withdraw(pair)
}
const priced = pairs.filter(({ paper, live }) => paper.executed > 0 && live.executed > 0)
const takers = priced.filter(({ isResting }) => !isResting).map(pointsOf)
const makers = pairs.filter(({ isResting }) => isResting)
const restingPoints = priced.filter(({ isResting }) => isResting).map(pointsOf)
const waits = priced
  .filter(({ isResting }) => isResting)
  .map(({ paper, live }) => (paper.updatedAtMs - live.updatedAtMs) / 1000)
const table = [
  '| Difference: practice − live | Orders | 5 % | 25 % | Median | 75 % | 95 % |',
  '| --- | --- | --- | --- | --- | --- | --- |',
  row('Price of orders that take liquidity, bp (positive: worse in practice)', takers, 2),
  row('Price of orders that rest, bp (positive: worse in practice)', restingPoints, 2),
  row('Time until orders that rest are filled, s', waits, 1),
  '',
  `Of ${makers.length} orders that rested for at most a minute, ${share(true, true)} were filled in both, ${share(true, false)} only in practice, ${share(false, true)} only live, and ${share(false, false)} stayed unfilled.`,
].join('\n')
console.log(table)
if (write === '--write') publish(table)
process.exit(quantile(takers.concat(restingPoints), 0.5) === 0 ? 0 : 1)

/** The same order at both: every other one takes, the others rest at the best price. */
function placed(at: number): Pair {
  const side = at % 4 < 2 ? 'BUY' : 'SELL'
  const isResting = at % 2 === 1
  const { bid, ask } = bestOf(live)
  const through = side === 'BUY' ? Math.floor(ask * 1.01) : Math.ceil(bid * 0.99)
  const price = isResting ? (side === 'BUY' ? bid : ask) : through
  const type = isResting ? 'LIMIT' : 'IOC'
  const [inPaper, inLive] = users.map((user) =>
    taken(user.place({ side, price, quantity: QUANTITY, type })),
  )
  if (!inPaper || !inLive) throw new RangeError('an order was not placed')
  return { paper: inPaper, live: inLive, isResting, untilMs: nowOf(live) + REST_MS }
}

/** Cancels what has rested for long enough. */
function withdraw(pair: Pair): void {
  if (!pair.isResting || nowOf(live) < pair.untilMs) return
  pair.untilMs = Number.POSITIVE_INFINITY
  for (const [at, order] of [pair.paper, pair.live].entries())
    if (order.executed < QUANTITY) users[at]?.cancel(order)
}

function nowOf({ time }: EmbeddedVenue): number {
  return time.clock.nowMs()
}

/** How much worse practice was, in hundredths of a per cent of the live price. */
function pointsOf({ paper, live }: Pair): number {
  const [mine, theirs] = [paper, live].map(
    ({ executedValue, executed }) => executedValue / executed,
  )
  if (!mine || !theirs) return 0
  return ((mine - theirs) / theirs) * 10_000 * paper.side
}

function share(inPaper: boolean, inLive: boolean): number {
  return makers.filter(
    ({ paper, live }) => paper.executed > 0 === inPaper && live.executed > 0 === inLive,
  ).length
}

function row(name: string, values: readonly number[], digits: number): string {
  const cells = [0.05, 0.25, 0.5, 0.75, 0.95].map((at) =>
    (quantile(values, at) + 0).toFixed(digits).replace(/^-(0(?:\.0+)?)$/, '$1'),
  )
  return `| ${name} | ${values.length} | ${cells.join(' | ')} |`
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

function publish(text: string): void {
  const page = readFileSync(PAGE, 'utf8')
  const marked = /(<!-- measured -->\n)[\s\S]*?(<!-- \/measured -->)/
  writeFileSync(
    PAGE,
    page.replace(marked, (_, begin: string, end: string) => `${begin}${text}\n${end}`),
  )
}
