import { createBoundedMap } from '../../core/bounded-map.ts'
import { parsedJson } from '../../core/json.ts'
import { type AccountFigures, parseFigures } from '../../perp/account-exposure.ts'
import { FIGURE_READS } from '../../perp/figure-reads.ts'
import { type AccountReads, FUNDING_AGE_MAX_MS } from '../../perp/limit-figures.ts'
import { type DayTotals, type PeriodRows, parseDayTotal } from '../../perp/pnl.ts'
import { type Position, parsePositions } from '../../perp/positions.ts'
import { parseOpenOrders, type StillOpening, waitingToOpen } from '../../perp/still-opening.ts'
import { parseReducing, parseWaiting, type WaitingOrder } from '../../perp/waiting.ts'

/** A relayed read of an account, which the venue has answered. */
export type AnsweredRead = {
  /** Lower case. */
  readonly accountId: string
  /** The path including its query. */
  readonly path: string
  /** When the read was sent and answered, by the wall clock. */
  readonly askedAtMs: number
  readonly answeredAtMs: number
}

/** Figures of accounts with a mandate, from answers that passed this instance. */
export type KeptFigures = Readonly<ReturnType<typeof createKeptFigures>>

/** The kept answers of an account whose positions are known. */
export type KeptAccount = AccountReads & {
  readonly shown: AccountFigures
  /** The positions that were used to compute `shown`. */
  readonly positions: readonly Position[]
  /** Whether the account has more conditional orders than the largest page shows. */
  readonly isWaitingLeftOut: boolean
  /** When the read of the positions was sent. The age of `shown` counts from the earlier read of conditional orders. */
  readonly positionsAtMs: number
}

type WaitingRead = {
  readonly askedAtMs: number
  readonly answeredAtMs: number
  /** Null if the answer does not show all orders. */
  readonly orders: readonly WaitingOrder[] | null
}

type DayRead = { readonly askedAtMs: number; readonly total: bigint | null }

type OpenRead = { readonly askedAtMs: number; readonly orders: readonly StillOpening[] }

type Kept = {
  readonly reads: readonly WaitingRead[]
  readonly account: Omit<KeptAccount, 'day'> | null
  readonly day: Readonly<Record<keyof PeriodRows, DayRead>>
  readonly open: OpenRead | null
  readonly reducing: ReadonlySet<string>
  /** The number of opening writes in flight. */
  readonly opening: number
  readonly openedAtMs: number
}

/** Maximum age of figures. */
const AGE_MAX_MS = 10_000
/**
 * Maximum ages of the rows of a day. Callers reuse funding rows up to `FUNDING_AGE_MAX_MS` and then read the other
 * figures, so funding rows may be as old as both times together.
 */
const DAY_AGES_MAX_MS: Readonly<Record<keyof PeriodRows, number>> = {
  fills: AGE_MAX_MS,
  funding: FUNDING_AGE_MAX_MS + AGE_MAX_MS,
  liquidations: AGE_MAX_MS,
}
/** Maximum number of rows held for all accounts. */
const HELD_MAX = 100_000
/** Maximum reads of conditional orders kept per account. Several are needed while reads of positions are in flight. */
const READS_MAX = 3

/**
 * Maximum number of ids that are kept per account, of conditional orders that only reduce. It is twice the largest
 * answer. The latest ids are kept.
 */
const REDUCING_MAX = 1_000

const UNREAD: DayRead = { askedAtMs: 0, total: null }

const NONE: Kept = {
  reads: [],
  account: null,
  day: { fills: UNREAD, funding: UNREAD, liquidations: UNREAD },
  open: null,
  reducing: new Set(),
  opening: 0,
  openedAtMs: 0,
}

type Held = ReturnType<typeof createHeld>

function createHeld() {
  const held = createBoundedMap<string, Kept>(HELD_MAX)
  const keptFor = (accountId: string) => held.get(accountId) ?? NONE
  const put = (accountId: string, change: Partial<Kept>) => {
    const kept = { ...keptFor(accountId), ...change }
    const { reads, account, open, reducing } = kept
    const rows = reads.reduce((sum, { orders }) => sum + (orders?.length ?? 0), 0)
    const others = (account?.shown.exposures.length ?? 0) + (open?.orders.length ?? 0)
    held.put(accountId, kept, 1 + rows + others + reducing.size)
  }
  return { keptFor, put }
}

function keepReducing({ keptFor, put }: Held, accountId: string, answer: string): void {
  const found = parseReducing(parsedJson(answer))
  const { reducing } = keptFor(accountId)
  if (found.every((id) => reducing.has(id))) return
  put(accountId, { reducing: new Set([...found, ...reducing].slice(0, REDUCING_MAX)) })
}

function noteOpening({ keptFor, put }: Held, accountId: string): (knownAtMs: number) => void {
  put(accountId, { opening: keptFor(accountId).opening + 1 })
  return (knownAtMs) => put(accountId, afterOpening(keptFor(accountId), knownAtMs))
}

export function createKeptFigures() {
  const held = createHeld()
  const { keptFor, put } = held
  return {
    /** Keeps which conditional orders of an answer can only reduce. */
    keepReducing: ({ accountId }: AnsweredRead, answer: string) =>
      keepReducing(held, accountId, answer),
    /** The ids of the conditional orders that are known to only reduce. */
    reducing: (accountId: string) => keptFor(accountId).reducing,
    /** Keeps the answer to a read of conditional orders. */
    keepWaiting: (read: AnsweredRead, answer: string) => {
      const { accountId, path, askedAtMs, answeredAtMs } = read
      keepReducing(held, accountId, answer)
      const orders = selectsAllOpen(path) ? parseWaiting(parsedJson(answer)) : null
      // Ignores an incomplete answer to a small page. An incomplete answer to the largest page shows that the account
      // has too many orders.
      if (!orders && path !== FIGURE_READS[0]) return
      const reads = [{ askedAtMs, answeredAtMs, orders }, ...keptFor(accountId).reads]
      put(accountId, { reads: reads.slice(0, READS_MAX) })
    },
    /** Keeps the answer to a read of positions. */
    keepPositions: ({ accountId, path, askedAtMs }: AnsweredRead, answer: string) => {
      // Ignores the answer to a query, which may leave positions out.
      const found = path.includes('?') ? null : parsedJson(answer)
      const kept = keptFor(accountId)
      const base = newestBefore(kept.reads, askedAtMs)
      const next = parseFigures(found, base?.askedAtMs ?? askedAtMs)
      if (!next || next.askedAtMs < (kept.account?.shown.askedAtMs ?? 0)) return
      put(accountId, { account: accountIn(found, next, base, askedAtMs) })
    },
    /** Keeps the answer to a read of rows of the last 24 hours, by the kind of the rows. */
    keepDay: (
      name: keyof PeriodRows,
      { accountId, path, askedAtMs }: AnsweredRead,
      answer: string,
      venueMs: number,
    ) => {
      const { day } = keptFor(accountId)
      if (!selectsAllOpen(path) || askedAtMs < day[name].askedAtMs) return
      const total = parseDayTotal(parsedJson(answer), name, venueMs)
      // Keeps the earlier total, because a shorter page may not reach as far back.
      if (total === null && recentTotals(day, askedAtMs)[name] !== null) return
      put(accountId, { day: { ...day, [name]: { askedAtMs, total } } })
    },
    /** Keeps the answer to a read of open orders. */
    keepOrders: ({ accountId, path, askedAtMs }: AnsweredRead, answer: string) => {
      const orders = selectsAllOpen(path) ? parseOpenOrders(parsedJson(answer)) : null
      if (!orders || askedAtMs < (keptFor(accountId).open?.askedAtMs ?? 0)) return
      put(accountId, { open: { askedAtMs, orders } })
    },
    /** The figures of an account with its waiting orders, if they are new enough. */
    find: (accountId: string, nowMs: number) => keptAccount(keptFor(accountId), nowMs),
    /**
     * Notes that an opening write is being sent. Returns a function that notes when its effect was known: reads before
     * that time do not show the effect.
     */
    noteOpening: (accountId: string) => noteOpening(held, accountId),
    /** The orders of an account that can still open a position; null while they are not known. */
    stillOpening: (accountId: string, nowMs: number) => stillOpeningIn(keptFor(accountId), nowMs),
  }
}

function keptAccount({ account, day }: Kept, nowMs: number): KeptAccount | null {
  if (!account || !isNew(account.shown, nowMs)) return null
  return { ...account, day: recentTotals(day, nowMs) }
}

function recentTotals(day: Kept['day'], nowMs: number): DayTotals {
  const total = (name: keyof PeriodRows) =>
    isNew(day[name], nowMs, DAY_AGES_MAX_MS[name]) ? day[name].total : null
  return { fills: total('fills'), funding: total('funding'), liquidations: total('liquidations') }
}

function stillOpeningIn(
  { reads, open, opening, openedAtMs }: Kept,
  nowMs: number,
): readonly StillOpening[] | null {
  const waiting = newest(reads.filter(isWhole))
  if (!waiting || !open || !isNew(waiting, nowMs) || !isNew(open, nowMs)) return null
  if (opening > 0 || openedAtMs >= Math.min(waiting.askedAtMs, open.askedAtMs)) return null
  return [...open.orders, ...waitingToOpen(waiting.orders ?? [])]
}

function accountIn(
  answer: unknown,
  shown: AccountFigures,
  base: WaitingRead | null,
  positionsAtMs: number,
): Kept['account'] {
  const positions = parsePositions(answer) ?? []
  const waiting = base?.orders ?? null
  return { shown, positions, positionsAtMs, waiting, isWaitingLeftOut: base?.orders === null }
}

function afterOpening(kept: Kept, knownAtMs: number): Kept {
  const openedAtMs = Math.max(kept.openedAtMs, knownAtMs)
  return { ...kept, opening: Math.max(0, kept.opening - 1), openedAtMs }
}

function isNew(
  { askedAtMs }: { readonly askedAtMs: number },
  nowMs: number,
  ageMaxMs = AGE_MAX_MS,
): boolean {
  return Math.abs(nowMs - askedAtMs) <= ageMaxMs
}

/**
 * The newest read of conditional orders that was answered before the read of the positions was sent; a complete read
 * takes precedence. In this sequence, an order that triggers in between shows up in the positions.
 */
function newestBefore(reads: readonly WaitingRead[], askedAtMs: number): WaitingRead | null {
  const before = reads.filter(
    (read) => read.answeredAtMs <= askedAtMs && askedAtMs - read.askedAtMs <= AGE_MAX_MS,
  )
  return newest(before.filter(isWhole)) ?? newest(before)
}

function isWhole({ orders }: WaitingRead): boolean {
  return orders !== null
}

function newest(reads: readonly WaitingRead[]): WaitingRead | null {
  return reads.reduce<WaitingRead | null>(
    (found, read) => (found && found.askedAtMs >= read.askedAtMs ? found : read),
    null,
  )
}

/** Whether a read of orders selects all open orders, on the first page. */
function selectsAllOpen(path: string): boolean {
  const query = new URLSearchParams(path.split('?')[1] ?? '')
  return [...query].every(
    ([name, value]) =>
      name === 'size' ||
      (name === 'status' && value === 'INCOMPLETE') ||
      (name === 'page' && value === '1'),
  )
}
