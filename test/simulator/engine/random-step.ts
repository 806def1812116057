import { cancel } from '../../../src/simulator/book/open-orders.ts'
import { addBalance, addExternalDeposit } from '../../../src/simulator/ledger/balances.ts'
import { setLeverage, setMarginMode } from '../../../src/simulator/margin/settings.ts'
import { editAlgo } from '../../../src/simulator/orders/conditional/edit.ts'
import { placeAlgo } from '../../../src/simulator/orders/conditional/place.ts'
import {
  algoRoot,
  algoSubtree,
  cancelAlgo,
  isAlive,
} from '../../../src/simulator/orders/conditional/tree.ts'
import { editOrder } from '../../../src/simulator/orders/edit.ts'
import { placeOrder } from '../../../src/simulator/orders/place.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { chargeFunding } from '../../../src/simulator/prices/charge.ts'
import { setMark } from '../../../src/simulator/prices/set-mark.ts'
import { deposit } from '../../../src/simulator/state/accounts.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { BUY, SELL, type SideSign } from '../../../src/simulator/state/state.ts'
import { randomAlgo, triggerNear } from './random-algos.ts'
import { orderOf, prune, refOrderOf, settleBoth, type Trading } from './random-trading.ts'
import * as algos from './reference/algos.ts'
import * as orders from './reference/orders.ts'
import * as settings from './reference/settings.ts'

const TYPES = [
  ...Array(3).fill('LIMIT'),
  ...['IOC', 'FOK', 'POST_ONLY', 'MARKET', 'ASK', 'BID'],
] as readonly ('LIMIT' | 'IOC' | 'FOK' | 'POST_ONLY' | 'MARKET' | 'ASK' | 'BID')[]
const RESTING_MAX = 90
const WAITING_MAX = 40
const BROKE_MICROS = 500_000_000
const PAID_IN_MICROS = 3_000_000_000
/** Eight decimals. */
const TETHERS_MAX = 100_000_000_000

/** What both sides said of one operation. */
type Outcome = { readonly got: unknown; readonly expected: unknown }

/** Runs one operation on both, with all that follows from it, and answers what each said. */
export function step(trading: Trading, atMs: number): Outcome {
  const kind = trading.rng()
  prune(trading)
  const outcome = chosen(trading, kind)(trading, atMs)
  settleBoth(trading, atMs)
  return outcome
}

type Operation = (trading: Trading, atMs: number) => Outcome

function chosen({ orders: resting, algos: waiting }: Trading, kind: number): Operation {
  if (resting.size > 0 && (kind < 0.15 || resting.size > RESTING_MAX)) return cancelOne
  if (resting.size > 0 && kind < 0.28) return change
  if (kind < 0.29) return fund
  if (kind < 0.297) return lever
  if (kind < 0.3) return changeMode
  if (kind < 0.31) return payIn
  if (kind < 0.32) return moveTethers
  if (kind < 0.38) return moveMark
  if (waiting.size > WAITING_MAX || (waiting.size > 0 && kind < 0.4)) return cancelWaiting
  if (waiting.size > 0 && kind < 0.42) return changeWaiting
  return kind < 0.5 ? wait : place
}

function place(trading: Trading, atMs: number): Outcome {
  const { rng, pick, world, ref } = trading
  const market = pick(trading.markets)
  const account = pick(trading.accounts)
  const side: SideSign = rng() < 0.5 ? BUY : SELL
  const type = pick(TYPES)
  const isPriced = type !== 'MARKET' && type !== 'ASK' && type !== 'BID'
  const price = isPriced ? trading.priceNear(market, side) : 0
  const quantity = trading.quantityOf(market)
  const asked = {
    ...{ side, type, price, quantity },
    visible: type === 'LIMIT' && rng() < 0.2 ? Math.floor(rng() * quantity) : null,
    reduceOnly: rng() < 0.15,
    slippage: type === 'MARKET' && rng() < 0.5 ? Math.floor(rng() * 300_000) : null,
    level: Math.floor(rng() * 3),
    adjusts: type === 'POST_ONLY' && rng() < 0.5,
    isolated: rng() < 0.3 ? rng() < 0.5 : null,
  }
  const placed = placeOrder(world.exchange, { ...PLAIN_ORDER, ...asked, account, market }, atMs)
  const expected = orders.place(ref, { ...asked, owner: account.number, market: market.number })
  if (!(placed instanceof Rejection) && typeof expected !== 'string')
    trading.orders.set(placed, expected)
  return {
    got: placed instanceof Rejection ? placed.refusal : orderOf(placed),
    expected: typeof expected === 'string' ? expected : refOrderOf(expected),
  }
}

function change({ pick, rng, world, ref, ...trading }: Trading, atMs: number): Outcome {
  const [order, expected] = pick([...trading.orders])
  const { market } = order.marketAccount
  const price = rng() < 0.3 ? order.price : trading.priceNear(market, order.side)
  const quantity = rng() < 0.2 ? order.quantity : trading.quantityOf(market)
  const got = editOrder(world.exchange, order, { price, quantity }, atMs)
  const should = orders.edit(ref, expected, BigInt(price), BigInt(quantity))
  return { got: got?.refusal ?? null, expected: should }
}

function cancelOne({ pick, world, ...trading }: Trading, atMs: number): Outcome {
  const [order, expected] = pick([...trading.orders])
  cancel(world.exchange, order, atMs)
  expected.status = 'CANCELLED'
  return { got: order.status, expected: expected.status }
}

function wait(trading: Trading, atMs: number): Outcome {
  const { world, refAlgos, pick } = trading
  const market = pick(trading.markets)
  const account = pick(trading.accounts)
  const request = randomAlgo(trading, market)
  const placed = placeAlgo(world.exchange, account, market, request, atMs)
  const expected = algos.placeAlgo(refAlgos, account.number, market.number, request)
  if (placed instanceof Rejection || typeof expected === 'string') {
    const got = placed instanceof Rejection ? placed.refusal : 'accepted'
    return { got, expected: typeof expected === 'string' ? expected : 'accepted' }
  }
  const parts = algos.partsOf(expected)
  for (const [at, part] of algoSubtree(placed).entries()) {
    const other = parts[at]
    if (other) trading.algos.set(part, other)
  }
  return { got: algoSubtree(placed).length, expected: parts.length }
}

function cancelWaiting({ pick, world, ...trading }: Trading, atMs: number): Outcome {
  const [algo, expected] = pick([...trading.algos])
  cancelAlgo(world.exchange, algo, atMs)
  algos.cancelAlgo(expected)
  return { got: isAlive(algo), expected: algos.isAlive(expected) }
}

/** Gives a part that waits for its trigger another one. */
function changeWaiting({ pick, world, ...trading }: Trading, atMs: number): Outcome {
  const [algo, expected] = pick([...trading.algos])
  const { market } = algo.marketAccount
  const trigger = triggerNear(trading, market)
  const change = { algo: algo.id, trigger, price: null, quantity: null }
  const refused = editAlgo(world.exchange, algoRoot(algo), [change], atMs)
  const should = algos.editTrigger(trading.refAlgos, expected, trigger)
  return { got: refused?.refusal ?? null, expected: should }
}

function moveMark({ pick, rng, world, ref, markets }: Trading, atMs: number): Outcome {
  const market = pick(markets)
  const share = (rng() - 0.5) * 2 * (rng() < 0.12 ? 0.06 : 0.001)
  const mark = Math.round(market.mark * (1 + share))
  setMark(world.exchange, market, mark, atMs)
  settings.setMark(ref, market.number, BigInt(mark))
  return { got: market.mark, expected: mark }
}

function fund({ pick, rng, world, ref, markets }: Trading): Outcome {
  const market = pick(markets)
  const rate = Math.round((rng() - 0.5) * 200_000)
  chargeFunding(world.exchange, market, rate)
  settings.chargeFunding(ref, market.number, BigInt(rate))
  return { got: null, expected: null }
}

function lever({ pick, rng, world, ref, markets, accounts }: Trading): Outcome {
  const market = pick(markets)
  const account = pick(accounts)
  const leverage = 1 + Math.floor(rng() * 24)
  const isolated = rng() < 0.3
  const refused = setLeverage(world.exchange, account, { leverage, market, isolated })
  const slot = { owner: account.number, market: market.number, isolated }
  return { got: refused?.refusal ?? null, expected: settings.setLeverage(ref, slot, leverage) }
}

function changeMode({ pick, rng, ref, markets, accounts }: Trading): Outcome {
  const market = pick(markets)
  const account = pick(accounts)
  const isolated = rng() < 0.5
  const refused = setMarginMode(account, market, isolated)
  const slot = { owner: account.number, market: market.number, isolated }
  return { got: refused?.refusal ?? null, expected: settings.setMode(ref, slot) }
}

/** Brings USDT into an account, or takes some out of it, whatever the account needs it for. */
function moveTethers({ pick, rng, world, ref, accounts }: Trading): Outcome {
  const account = pick(accounts)
  const held = ref.tethers[account.number] ?? 0n
  const amount = Math.round((rng() * 2 - 0.7) * TETHERS_MAX)
  const moved = Math.max(amount, -Number(held))
  addBalance(world, account, 'USDT', moved)
  addExternalDeposit(world.exchange, 'USDT', moved)
  ref.tethers[account.number] = held + BigInt(moved)
  return { got: account.tokens.get('USDT'), expected: Number(ref.tethers[account.number]) }
}

/** Who has lost nearly everything pays in again. */
function payIn({ pick, world, ref, accounts }: Trading): Outcome {
  const account = pick(accounts)
  if (account.holding < BROKE_MICROS) {
    deposit(world.exchange, account, PAID_IN_MICROS)
    ref.holdings[account.number] = (ref.holdings[account.number] ?? 0n) + BigInt(PAID_IN_MICROS)
  }
  return { got: account.holding, expected: Number(ref.holdings[account.number]) }
}
