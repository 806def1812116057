import type {
  Fill,
  OrderOutcome,
  Reservation,
  ReservedUse,
  ReservedWrite,
  SpendingStore,
} from '../../core/spending.ts'
import { attemptOptional } from '../connection/errors.ts'
import type { Statements, TableAccess } from '../connection/statements.ts'
import {
  dayAfterLoss,
  dayStartMs,
  forgottenMax,
  minuteStartMs,
  reservedRows,
  rowsOverMs,
  rowsToFold,
  type SpendingRow,
  spendingStatements,
  sumsOver,
  UNSEEN_KEPT_MS,
  unseenStartMs,
  usedFrom,
} from './spending-statements.ts'

/** Reservations in a file. */
export type SpendingTable = SpendingStore & {
  /** Does the work of `reserve` inside the caller's transaction on `synced`. */
  readonly reserveWithin: <Refusal extends object>(
    reservation: Reservation,
    refusal: (used: ReservedUse) => Refusal | null,
    unseenSinceMs: number,
  ) => Refusal | null
  /** Releases a claim's reservation inside the caller's transaction on `database`. */
  readonly dropWithin: (identity: string) => void
}

/** Reservations in a file. `lostAtMs`: the wall time until which the file lost records of claims; 0 without a loss. */
export function spendingTable(
  { database, synced, durably, guard }: TableAccess,
  lostAtMs = 0,
): SpendingTable {
  const late = prepareSpending(database)
  const dayFrom = dayAfterLoss(lostAtMs)
  const { replaceWithin, takeBack } = reserving(prepareSpending(synced), late, dayFrom)
  const withdraw = database.transaction(takeBack)

  const settle = database.transaction(
    (write: ReservedWrite, wallMs: number, orders: readonly OrderOutcome[]) => {
      late.settle.run({ ...write, wallMs })
      late.forgetUnseen.run({ scope: write.scope, sinceMs: wallMs - UNSEEN_KEPT_MS })
      for (const [ordinal, { orderId, isRefused }] of orders.entries())
        if (isRefused) late.dropOrder.run({ ...write, ordinal })
        else if (orderId !== null) late.name.run({ ...write, ordinal, orderId })
    },
  )
  const fill = database.transaction((scope: string, fills: readonly Fill[]) => {
    for (const { orderId, micros } of fills) late.fill.run({ scope, orderId, micros })
  })
  return {
    reserveWithin: (...judged) => replaceWithin(...judged).refused,
    dropWithin: (identity) => void late.dropClaimed.run({ identity }),
    reserve: async (reservation, ...judged) => {
      const { refused } = await durably(
        () => replaceWithin(reservation, ...judged),
        ({ refused, replaced }) => {
          if (!refused) withdraw(reservation, replaced)
        },
      )
      return refused
    },
    settle: async ({ scope, identity }, wallMs, orders = []) =>
      attemptOptional(guard, () => settle({ scope, identity }, wallMs, orders)),
    fill: async (scope, fills) => attemptOptional(guard, () => fill(scope, fills)),
    release: async ({ scope, identity }) =>
      attemptOptional(guard, () => late.drop.run({ scope, identity })),
    prune: async (atMs, rowsMax) =>
      guard(() => {
        late.pruneSums.run({ ...sumsOver(atMs), rowsMax })
        return late.prune.run({ sinceMs: rowsOverMs(atMs), rowsMax }).changes
      }),
    used: async (scope, atMs, unseenSinceMs = Number.MAX_SAFE_INTEGER) =>
      guard(() => dayFrom(readUsed(late, { scope, atMs }, unseenSinceMs), atMs)),
  }
}

type SpendingStatements = ReturnType<typeof prepareSpending>

/**
 * Makes reservations with `statements`, inside a transaction. Takes reservations back with `late`, after the
 * transaction.
 */
function reserving(
  statements: SpendingStatements,
  late: Pick<SpendingStatements, 'drop' | 'put'>,
  dayFrom: ReturnType<typeof dayAfterLoss>,
) {
  /**
   * Makes a reservation unless `refusal` returns a refusal. `replaced`: the rows of an earlier reservation of the
   * write.
   */
  function replaceWithin<Refusal>(
    reservation: Reservation,
    refusal: (used: ReservedUse) => Refusal | null,
    unseenSinceMs: number,
  ) {
    const { scope, identity, atMs } = reservation
    const replaced = statements.drop
      .all({ scope, identity })
      .map((row) => ({ ...row, micros: BigInt(row.micros) }))
    const refused = refusal(dayFrom(readUsed(statements, { scope, atMs }, unseenSinceMs), atMs))
    if (!refused) bound(reservation)
    for (const row of refused ? replaced : reservedRows(reservation)) statements.put.run(row)
    return { refused, replaced }
  }

  /** Deletes a reservation, and restores the rows that it replaced. */
  function takeBack({ scope, identity }: Reservation, replaced: readonly SpendingRow[]): void {
    late.drop.run({ scope, identity })
    for (const row of replaced) late.put.run(row)
  }

  /** Deletes expired rows of a scope and keeps their number below the maximum. */
  function bound({ scope, atMs, uses }: Reservation): void {
    statements.forget.run({ scope, sinceMs: rowsOverMs(atMs), rowsMax: forgottenMax(uses.length) })
    statements.forgetSums.run({ scope, ...sumsOver(atMs) })
    const rowsMax = rowsToFold(statements.held.get({ scope })?.orders, uses.length)
    if (rowsMax === 0) return
    const folded = statements.fold.all({ scope, rowsMax })
    for (const row of folded) statements.addBack.run({ scope, ...row })
  }

  return { replaceWithin, takeBack }
}

const OWN = spendingStatements('', '')

function prepareSpending(database: Statements) {
  return {
    put: database.shared(OWN.put),
    drop: database.shared(OWN.drop),
    dropOrder: database.shared(OWN.dropOrder),
    held: database.shared(OWN.held),
    fold: database.shared(OWN.fold),
    addBack: database.shared(OWN.addBack),
    forget: database.shared(OWN.forget),
    forgetSums: database.shared(OWN.forgetSums),
    forgetUnseen: database.shared(OWN.forgetUnseen),
    prune: database.shared(OWN.prune),
    pruneSums: database.shared(OWN.pruneSums),
    ...sumsIn(database),
    settle: database.prepare<null, [ReservedWrite & { wallMs: number }]>(
      `UPDATE spending SET settled_ms = $wallMs WHERE identity = $identity AND scope = $scope`,
    ),
    name: database.prepare<null, [ReservedWrite & { ordinal: number; orderId: string }]>(
      `UPDATE spending SET order_id = $orderId
       WHERE identity = $identity AND scope = $scope AND ordinal = $ordinal`,
    ),
    fill: database.prepare<null, [Fill & { scope: string }]>(
      `UPDATE spending SET micros = min(micros, $micros), order_id = NULL
       WHERE scope = $scope AND order_id = $orderId`,
    ),
    dropClaimed: database.prepare<null, [{ identity: string }]>(
      'DELETE FROM spending WHERE identity = $identity',
    ),
  }
}

function sumsIn(database: Statements) {
  return {
    minutes: database.shared(OWN.minutes),
    seconds: database.shared(OWN.seconds),
    unseen: database.shared(OWN.unseen),
  }
}

function readUsed(
  { minutes, seconds, unseen }: ReturnType<typeof sumsIn>,
  { scope, atMs }: { readonly scope: string; readonly atMs: number },
  unseenSinceMs: number,
): ReservedUse {
  return usedFrom(
    minutes.get({ scope, sinceMs: dayStartMs(atMs) }),
    seconds.get({ scope, sinceMs: minuteStartMs(atMs) }),
    unseen.all({ scope, sinceMs: unseenStartMs(unseenSinceMs) }),
  )
}
