import type { FeedAuth } from '../../core/feed.ts'
import { isObject } from '../../core/json.ts'
import type { Floor } from '../exchange/floor.ts'
import type { Peek } from '../venue.ts'
import { watchAlgos } from './algo.ts'
import type { Happenings } from './happenings.ts'
import { reportOf } from './reports.ts'
import { camelCased, newRows, type Row, rowsOf, textOf } from './rows.ts'

/** One private message. */
export type AccountMessage = { readonly topic: string; readonly data: unknown }

/** Looks at an account again and again, and tells what has happened since the last look: executions first. */
export type AccountWatch = {
  readonly look: (tell: (message: AccountMessage) => void) => void
  readonly end: () => void
}

type Parts = {
  readonly peek: Peek
  readonly happenings: Happenings
  readonly floor: () => Floor
}

/** How an account is read: a path, as it is signed for. */
type Read = (path: string) => unknown

/** A watch on one account, from now on. */
export function watchAccount({ peek, happenings, floor }: Parts, accountId: string): AccountWatch {
  const read = (path: string) => peek(path, { accountId })
  const heard = happenings.orders(accountId)
  const algos = watchAlgos(read)
  let before = shownTo(read)
  // The first look only remembers.
  algos()

  function reports(): AccountMessage[] {
    const { markets } = floor().engine.world.exchange
    return heard.take().flatMap((moment) => {
      const market = markets[moment.order.market]
      return market ? [{ topic: 'executionreport', data: reportOf(moment, market) }] : []
    })
  }

  return {
    look: (tell) => {
      // Nobody waits for what takes longer to find.
      reports().forEach(tell)
      algos().forEach(tell)
      const now = shownTo(read)
      for (const [at, topic] of TOPICS.entries())
        for (const data of topic.tell(now[at], before[at])) tell({ topic: topic.topic, data })
      before = now
    },
    end: heard.end,
  }
}

/** Whether the account still has the key: it may have been removed, or have expired. */
export function isHeld(peek: Peek, { accountId, key }: FeedAuth): boolean {
  const of = { accountId: accountId.toLowerCase() }
  const found = peek('/v1/client/key_info?key_status=ACTIVE', of)
  return rowsOf(found).some((row) => row['orderly_key'] === key)
}

/** What a private topic that has a state shows now: who subscribes to it is told at once. Null for any other. */
export function accountState(peek: Peek, accountId: string, name: string): AccountMessage | null {
  const topic = TOPICS.find((each) => each.topic === name && each.isState)
  return topic ? { topic: name, data: topic.read((path) => peek(path, { accountId })) } : null
}

type Topic = {
  readonly topic: string
  readonly read: (read: Read) => unknown
  readonly tell: (now: unknown, before: unknown) => readonly unknown[]
  readonly isState?: true
}

function shownTo(read: Read): readonly unknown[] {
  return TOPICS.map((topic) => topic.read(read))
}

/** The private topics beside reports of orders, in the order in which they are told. */
const TOPICS: readonly Topic[] = [
  state('position', (read) => ({ positions: rowsOf(read('/v1/positions')).map(positionOf) })),
  state('balance', (read) => ({ balances: balancesOf(read('/v1/client/holding')) })),
  state('account', (read) => ({ accountDetail: accountOf(read('/v1/client/info')) })),
  events('wallet', '/v1/asset/history?size=50', (row) => row),
  events('settle', '/v1/pnl_settlement/history?size=50', ({ symbols, ...row }) => ({
    ...row,
    status: 'COMPLETED',
  })),
  events('liquidationsaccount', '/v1/liquidations?size=50', camelCased),
  // Nobody outside liquidates, and nothing is converted here: there is nothing to tell.
  events('liquidatorliquidations', null, camelCased),
  events('assetconvert', null, camelCased),
]

/** Every private topic of the wire. */
export const ACCOUNT_TOPICS: readonly string[] = [
  'executionreport',
  'algoexecutionreport',
  'algoexecutionreportv2',
  ...TOPICS.map(({ topic }) => topic),
]

/** What is told whenever it has changed. */
function state(topic: string, read: Topic['read']): Topic {
  return {
    topic,
    read,
    isState: true,
    tell: (now, before) => (textOf(now) === textOf(before) ? [] : [now]),
  }
}

/** What is told of each row that is new, or has changed: the oldest first. */
function events(topic: string, path: string | null, show: (row: Row) => unknown): Topic {
  return {
    topic,
    read: (read) => (path === null ? [] : rowsOf(read(path))),
    tell: (now, before) => newRows(now, before, textOf).toReversed().map(show),
  }
}

function positionOf(row: Row): unknown {
  const { IMR_withdraw_orders, MMR_with_orders, updated_time, ...others } = row
  return {
    ...(camelCased(others) as Row),
    imrwithOrders: IMR_withdraw_orders,
    mmrwithOrders: MMR_with_orders,
    updated_time,
  }
}

function balancesOf(payload: unknown): Row {
  const holding = isObject(payload) ? payload['holding'] : undefined
  const rows = (Array.isArray(holding) ? holding : []).filter(isObject)
  return Object.fromEntries(
    rows.map(({ token, pending_short, ...row }) => [
      String(token),
      { ...(camelCased(row) as Row), pendingShortQty: pending_short, pendingLongQty: 0 },
    ]),
  )
}

function accountOf(payload: unknown): Row {
  const info: Row = isObject(payload) ? payload : {}
  return {
    marginMode: 'REGULAR_MARGIN',
    futuresLeverage: info['max_leverage'],
    takerFeeRate: info['taker_fee_rate'],
    makerFeeRate: info['maker_fee_rate'],
    futuresTakerFeeRate: info['futures_taker_fee_rate'],
    futuresMakerFeeRate: info['futures_maker_fee_rate'],
    maintenanceCancelFlag: info['maintenance_cancel_orders'],
    totalCollateralValue: info['total_collateral_value'],
    freeCollateral: info['free_collateral'],
    accountValue: info['total_collateral_value'],
  }
}
