import { signal } from '@preact/signals'
import { absolute } from '../../../core/decimals.ts'
import { CONDITIONALS, POSITIONS } from '../../../perp/figure-reads.ts'
import { type Conditional, conditionalOrders } from '../account/conditional.ts'
import {
  type AccountOrder,
  type AccountPosition,
  accountOrders,
  accountPositions,
  OPEN_STATUSES,
  positionKey,
} from '../account/rows.ts'
import { OPEN_ORDERS, readAgain } from '../account/state.ts'
import { ACCOUNT_TEXTS } from '../messages/account.ts'
import { ALL_ROWS_TEXTS } from '../messages/all.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { closingCall } from './commands.ts'
import { tradedSide } from './conditional-outcomes.ts'
import { awaitFinal, latest } from './outcomes.ts'
import { sizeText, symbolBase } from './text.ts'
import { trySend, whileBusy } from './writes.ts'

/** The rows that one action closes or cancels: all positions, or all orders of a list. */
export type BulkRows =
  | { readonly kind: 'positions'; readonly rows: readonly AccountPosition[] }
  | { readonly kind: 'orders'; readonly rows: readonly AccountOrder[] }
  | { readonly kind: 'conditional'; readonly rows: readonly Conditional[] }

/** A row that is still open after the action. `why`: the reason, if it is known. */
export type RemainingRow = { readonly name: string; readonly why: string }

/**
 * The action on all rows of a list: awaiting confirmation (`asked`), being sent with the number of sent rows (`sent`),
 * or `ended`; null without an action.
 */
export const bulkAction = signal<
  | (BulkRows & { readonly stage: 'asked' })
  | (BulkRows & { readonly stage: 'sent'; readonly sent: number })
  | (BulkRows & { readonly stage: 'ended'; readonly left: readonly RemainingRow[] | null })
  | null
>(null)

/** Opens the question whether to close or cancel all rows. */
export function askBulkAction(asked: BulkRows): void {
  bulkAction.value = { ...asked, stage: 'asked' }
}

/** Closes the question or the result, except while rows are being sent. */
export function closeBulkAction(): void {
  if (bulkAction.peek()?.stage !== 'sent') bulkAction.value = null
}

/** Closes or cancels all rows, continues after refusals, and then reads which rows are still open. */
export async function sendBulkAction(): Promise<void> {
  const { value: asked } = bulkAction
  if (asked?.stage !== 'asked') return
  await whileBusy(asked.kind, async () => {
    const reasons = await (asked.kind === 'positions' ? closeEach(asked) : cancelList(asked))
    const left = await readLeft(asked, reasons)
    bulkAction.value = { ...asked, stage: 'ended', left }
    return true
  })
  readAgain(asked.kind === 'conditional' ? CONDITIONALS : POSITIONS)
}

type Reasons = ReadonlyMap<string, string>

async function closeEach(asked: Extract<BulkRows, { kind: 'positions' }>): Promise<Reasons> {
  const reasons = new Map<string, string>()
  for (const [sent, row] of asked.rows.entries()) {
    bulkAction.value = { ...asked, stage: 'sent', sent }
    const why = await trySend(closingCall(row))
    if (why !== null) reasons.set(positionKey(row), why)
  }
  return reasons
}

const PATHS = { orders: '/v1/orders', conditional: '/v1/algo/orders' } as const

/** Cancels all rows of a list with one call. Returns the reason per row if the call was refused. */
async function cancelList(asked: Exclude<BulkRows, { kind: 'positions' }>): Promise<Reasons> {
  bulkAction.value = { ...asked, stage: 'sent', sent: 0 }
  const why = await trySend({ method: 'DELETE', path: PATHS[asked.kind] })
  return new Map(why === null ? [] : asked.rows.map((row) => [row.id, why]))
}

/** Reads the rows that are still open, with reasons; null if the read fails. */
async function readLeft(
  asked: BulkRows,
  reasons: Reasons,
): Promise<readonly RemainingRow[] | null> {
  const open = await awaitFinal(
    () => readOpen(asked),
    (rows) => rows.every(({ key }) => reasons.has(key)),
  )
  const leftReason = (key: string) => reasons.get(key) ?? ALL_ROWS_TEXTS.why[asked.kind]
  return open?.map(({ key, name }) => ({ name, why: leftReason(key) })) ?? null
}

type Open = { readonly key: string; readonly name: string }

/** Reads which of the rows are still open at the venue. Throws if the read fails. */
async function readOpen(asked: BulkRows): Promise<readonly Open[]> {
  const path = { positions: POSITIONS, orders: OPEN_ORDERS, conditional: CONDITIONALS }[asked.kind]
  const answer = await latest(path)
  if (asked.kind === 'positions') {
    const keys = new Set(asked.rows.map(positionKey))
    const held = accountPositions(answer).filter(
      (row) => row.size !== 0n && keys.has(positionKey(row)),
    )
    return held.map((row) => ({ key: positionKey(row), name: positionName(row) }))
  }
  const ids = new Set<string>(asked.rows.map(({ id }) => id))
  const rows = asked.kind === 'orders' ? accountOrders(answer) : conditionalOrders(answer)
  return rows
    .filter(({ id, status }) => ids.has(id) && OPEN_STATUSES.has(status))
    .map((row) => ({ key: row.id, name: orderName(row) }))
}

/** A short text of a position, such as `Long 0.5 ETH`. */
function positionName({ symbol, size }: AccountPosition): string {
  const side = size > 0n ? PAGE_TEXTS.long : PAGE_TEXTS.short
  return `${side} ${sizeText(symbol, absolute(size))} ${symbolBase(symbol)}`
}

function orderName(row: AccountOrder | Conditional): string {
  const side = 'children' in row ? tradedSide(row) : row.side
  const size = row.size === 0n ? ACCOUNT_TEXTS.lists.wholePosition : sizeText(row.symbol, row.size)
  return `${PAGE_TEXTS.side[side]} ${size} ${symbolBase(row.symbol)}`
}
