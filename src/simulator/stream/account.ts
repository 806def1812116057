import type { FeedAuth } from '../../core/feed.ts'
import { isObject, type Row, rowsAt } from '../../core/json.ts'
import type { Simulation } from '../exchange/simulation.ts'
import type { ReadUnserialised } from '../messages/row.ts'
import type { EventBuffers } from './events.ts'
import { type AccountMessage, executionReport, type Read, watchAlgos } from './reports.ts'
import { camelCased, comparableText, newRows } from './rows.ts'

/** Returns the changes of an account since the last call, executions first. */
export type AccountWatch = {
  readonly send: (emit: (message: AccountMessage) => void) => void
  readonly end: () => void
}

type AccountSnapshotSources = {
  readonly peek: ReadUnserialised
  readonly events: EventBuffers
  readonly simulation: () => Simulation
}

/** Watches an account from now on. */
export function watchAccount(
  { peek, events, simulation }: AccountSnapshotSources,
  accountId: string,
): AccountWatch {
  const read = (path: string) => peek(path, { accountId })
  const version = () => simulation().engine.world.exchange.sequence
  const orders = events.orders(accountId)
  const algos = watchAlgos(read)
  let before = shownTo(read)
  // The first call only records the current state.
  algos()

  function reports(): AccountMessage[] {
    const { markets } = simulation().engine.world.exchange
    return orders.take().flatMap((event) => {
      const market = markets[event.order.market]
      return market ? [{ topic: 'executionreport', data: executionReport(event, market) }] : []
    })
  }

  return {
    send: (emit) => {
      // Execution reports are sent first, because the other topics take longer to read.
      reports().forEach(emit)
      algos().forEach(emit)
      const now = shownTo(read)
      for (const [at, topic] of TOPICS.entries())
        for (const data of topic.messages(now[at], before[at], version()))
          emit({ topic: topic.topic, data })
      before = now
    },
    end: orders.end,
  }
}

/** Whether the key that a subscriber has proved is still valid. */
export function isHeld(peek: ReadUnserialised, { accountId, key }: FeedAuth): boolean {
  const of = { accountId: accountId.toLowerCase() }
  const found = peek('/v1/client/key_info?key_status=ACTIVE', of)
  return rowsAt(found, 'rows').some((row) => row['orderly_key'] === key)
}

/** The first message of a private topic that has a state; null for any other topic. */
export function accountState(
  { peek, simulation }: Pick<AccountSnapshotSources, 'peek' | 'simulation'>,
  accountId: string,
  name: string,
): AccountMessage | null {
  const topic = TOPICS.find((each) => each.topic === name && each.isState)
  if (!topic) return null
  const now = topic.read((path) => peek(path, { accountId }))
  const [data] = topic.messages(now, undefined, simulation().engine.world.exchange.sequence)
  return data === undefined ? null : { topic: name, data }
}

type Topic = {
  readonly topic: string
  readonly read: (read: Read) => unknown
  /** The `data` of each message. `before` is undefined at first. `version` rises with every change of the venue. */
  readonly messages: (now: unknown, before: unknown, version: number) => readonly unknown[]
  readonly isState?: true
}

function shownTo(read: Read): readonly unknown[] {
  return TOPICS.map((topic) => topic.read(read))
}

/** The private topics except order reports, in the order in which they are sent. */
const TOPICS: readonly Topic[] = [
  state('position', (read) => ({
    positions: rowsAt(read('/v1/positions'), 'rows').map(positionMessage),
  })),
  {
    ...state('balance', (read) => balancesMessage(read('/v1/client/holding'))),
    messages: balanceMessages,
  },
  { ...state('account', accountNow), messages: accountMessages },
  events('wallet', '/v1/asset/history?size=50', (row) => row),
  events('settle', '/v1/pnl_settlement/history?size=50', ({ symbols, ...row }) => ({
    ...row,
    status: 'COMPLETED',
  })),
  events('liquidationsaccount', '/v1/liquidations?size=50', camelCased),
  // These topics never send, because this venue lacks external liquidators and conversions.
  events('liquidatorliquidations', null, camelCased),
  events('assetconvert', null, camelCased),
]

/** Every private topic of the live feed. */
export const PRIVATE_TOPICS: readonly string[] = [
  'executionreport',
  'algoexecutionreport',
  'algoexecutionreportv2',
  ...TOPICS.map(({ topic }) => topic),
]

/** A topic that sends its whole state whenever the state has changed. */
function state(topic: string, read: Topic['read']): Topic {
  return {
    topic,
    read,
    isState: true,
    messages: (now, before) => (comparableText(now) === comparableText(before) ? [] : [now]),
  }
}

/** A topic that sends each row that is new or has changed, oldest first. */
function events(topic: string, path: string | null, show: (row: Row) => unknown): Topic {
  return {
    topic,
    read: (read) => (path === null ? [] : rowsAt(read(path), 'rows')),
    messages: (now, before) => newRows(now, before, comparableText).toReversed().map(show),
  }
}

function positionMessage(row: Row): unknown {
  const { IMR_withdraw_orders, MMR_with_orders, updated_time, ...others } = row
  return {
    ...(camelCased(others) as Row),
    version: row['seq'],
    imrwithOrders: IMR_withdraw_orders,
    mmrwithOrders: MMR_with_orders,
    updated_time,
  }
}

function balancesMessage(payload: unknown): Row {
  const holding = isObject(payload) ? payload['holding'] : undefined
  const rows = (Array.isArray(holding) ? holding : []).filter(isObject)
  return Object.fromEntries(
    rows.map(({ token, pending_short, ...row }) => [
      String(token),
      { ...(camelCased(row) as Row), pendingShortQty: pending_short, pendingLongQty: 0 },
    ]),
  )
}

/** The balances that changed, with the version of the change. */
function balanceMessages(now: unknown, before: unknown, version: number): readonly unknown[] {
  if (!isObject(now) || comparableText(now) === comparableText(before)) return []
  const balances = Object.entries(now).map(([token, row]) => [
    token,
    isObject(row) ? { ...row, version } : row,
  ])
  return [{ balances: Object.fromEntries(balances) }]
}

/** The account's settings and totals, and the leverage of each market and margin mode. */
function accountNow(read: Read): Row {
  return {
    detail: accountMessage(read('/v1/client/info'), read('/v1/positions')),
    leverages: rowsAt(read('/v1/client/leverages'), 'rows'),
  }
}

/**
 * One message per market and margin mode whose leverage changed. If no leverage changed, one message for the other
 * changes.
 */
function accountMessages(now: unknown, before: unknown): readonly unknown[] {
  if (!isObject(now)) return []
  const { detail, leverages } = now
  const known = isObject(before) ? before['leverages'] : null
  const changed = newRows(leverages, known, (row) =>
    [row['symbol'], row['margin_mode'], row['leverage']].join(' '),
  )
  if (changed.length > 0 && isObject(detail))
    return changed.map(({ symbol, leverage, margin_mode: marginMode }) => ({
      accountDetail: { ...detail, symbolLeverage: { symbol, leverage, marginMode } },
    }))
  const isSame = isObject(before) && comparableText(detail) === comparableText(before['detail'])
  return isSame ? [] : [{ accountDetail: detail }]
}

function accountMessage(info: unknown, positions: unknown): Row {
  const settings: Row = isObject(info) ? info : {}
  const totals: Row = isObject(positions) ? positions : {}
  return {
    marginMode: 'REGULAR_MARGIN',
    futuresLeverage: settings['max_leverage'],
    takerFeeRate: settings['taker_fee_rate'],
    makerFeeRate: settings['maker_fee_rate'],
    futuresTakerFeeRate: settings['futures_taker_fee_rate'],
    futuresMakerFeeRate: settings['futures_maker_fee_rate'],
    rwaFuturesTakerFeeRate: settings['rwa_taker_fee_rate'],
    rwaFuturesMakerFeeRate: settings['rwa_maker_fee_rate'],
    maintenanceCancelFlag: settings['maintenance_cancel_orders'],
    totalCollateralValue: totals['total_collateral_value'],
    freeCollateral: totals['free_collateral'],
    accountValue: totals['account_value'],
  }
}
