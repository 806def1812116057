import { LIMITS } from '../../contract/limits.ts'
import { WEBHOOK } from '../../contract/webhook.ts'
import { Failure } from '../../core/failure.ts'
import type { FeedMessage } from '../../core/feed.ts'
import { parseExact, type Row, rowsAt, toFloat } from '../../core/json.ts'
import { defaultOnFailure } from '../../core/loop/guarded.ts'
import { type Clock, type Store, UpstreamError } from '../../core/ports.ts'
import { fillRow, liquidationRows, reportRows } from '../../upstream/wire/live.ts'
import type { AccountEventInput, AccountEvents } from './events.ts'

/** The kinds of executions of an account: fills and liquidations. */
const KINDS = {
  'order.filled': {
    path: '/v1/trades?size=500',
    timeOf: ({ executed_timestamp }: Row) => toFloat(executed_timestamp),
    keyOf: ({ symbol, id }: Row) => `fill ${symbol} ${id}`,
  },
  'position.liquidated': {
    path: '/v1/liquidations?size=100',
    timeOf: ({ timestamp }: Row) => toFloat(timestamp),
    keyOf: ({ liquidation_id }: Row) => `liquidation ${liquidation_id}`,
  },
} as const

type Kind = keyof typeof KINDS

function executionEvent(accountId: string, event: Kind, row: Row): AccountEventInput {
  return { accountId: accountId.toLowerCase(), event, key: KINDS[event].keyOf(row), data: row }
}

/** The events for executions that a private live message of the venue reports. */
export function executionsIn(accountId: string, { topic, data }: FeedMessage): AccountEventInput[] {
  const ignore = () => undefined
  if (topic === 'liquidationsaccount')
    return liquidationRows(data, ignore).map((row) =>
      executionEvent(accountId, 'position.liquidated', row),
    )
  if (topic !== 'executionreport') return []
  return reportRows(data, ignore)
    .map(fillRow)
    .filter((row) => row !== undefined)
    .map((row) => executionEvent(accountId, 'order.filled', row))
}

type ExecutionWatchOptions = {
  readonly store: Pick<Store, 'webhooks'>
  readonly events: AccountEvents
  readonly clock: Clock
  /** With a virtual venue clock, executions before the first read are skipped. */
  readonly venueClock: Clock
  /** Reads a private path of an account of the embedded venue. Returns its JSON. */
  readonly readAccount: (accountId: string, path: string) => Promise<string>
}

/** Returns a function that finds new executions of accounts of the embedded venue, and publishes them. */
export function createExecutionWatch(parts: ExecutionWatchOptions): () => Promise<void> {
  const { store, events, clock, venueClock, readAccount } = parts
  const isVirtual = venueClock !== clock
  const seen = new Map<string, ReadonlySet<string>>()
  let isUnderWay = false

  async function look(accountId: string, event: Kind): Promise<void> {
    const { path, keyOf, timeOf } = KINDS[event]
    const answer = await readAccount(accountId, path)
    const rows = rowsAt(parseExact(answer, LIMITS.scrubDepthMax), 'rows')
    const name = `${event} ${accountId}`
    const before = seen.get(name)
    seen.set(name, new Set(rows.map(keyOf)))
    const sinceMs = clock.nowMs() - WEBHOOK.rememberedMs
    const isNew = (row: Row) => {
      if (before) return !before.has(keyOf(row))
      return !isVirtual && (timeOf(row) ?? 0) > sinceMs
    }
    for (const row of rows.filter(isNew).toReversed()) {
      const atMs = isVirtual ? undefined : timeOf(row)
      await events.publish({
        ...executionEvent(accountId, event, row),
        ...(atMs !== undefined && { atMs }),
      })
    }
  }

  async function lookAll(): Promise<void> {
    const names = new Set<string>()
    for (const event of ['order.filled', 'position.liquidated'] as const)
      for (const accountId of await store.webhooks.accountsFor(event, WEBHOOK.accountsMax)) {
        names.add(`${event} ${accountId}`)
        await look(accountId, event)
      }
    for (const name of seen.keys()) if (!names.has(name)) seen.delete(name)
  }

  return async () => {
    if (isUnderWay) return
    isUnderWay = true
    await lookAll().catch(defaultOnFailure('gateway', undefined, Failure, UpstreamError))
    isUnderWay = false
  }
}
