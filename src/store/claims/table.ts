import { DAY_MS } from '../../contract/durations.ts'
import { LIMITS } from '../../contract/limits.ts'
import { type Claim, type ClaimedUse, claimsInCommit } from '../../core/claim.ts'
import { Failure } from '../../core/failure.ts'
import type { Store } from '../../core/ports.ts'
import type { ReservedUse } from '../../core/spending.ts'
import { attemptOptional } from '../connection/errors.ts'
import type { Commit, GroupCommit } from '../connection/group-commit.ts'
import type { Statements, TableAccess } from '../connection/statements.ts'
import { type ClaimRow, type HeldClaims, holdClaims } from './held.ts'
import type { SpendingTable } from './spending.ts'

type ClaimTableOptions = Omit<TableAccess, 'durably'> & {
  readonly group: Pick<GroupCommit, 'durably' | 'isLost'>
  /** The spending of claimed writes, on the same connections. */
  readonly spending: Pick<SpendingTable, 'reserveWithin' | 'dropWithin'>
  /** Maximum number of identities. Identities that are held for a day, such as client order ids, may fill half of it. */
  readonly heldMax: number
}

/** Whether a claim is held for a day. Claims of signatures and approvals end within hours. */
function isDayClaim({ expiresAtMs }: Claim, nowMs: number): boolean {
  return expiresAtMs - nowMs > DAY_MS / 2
}

type ClaimTable = Store['once'] & {
  /** Deletes at most `rowsMax` expired rows, oldest spans first. Returns their number. */
  readonly sweep: (nowMs: number, rowsMax: number) => number
}

/**
 * Identities that can each be claimed once. Claims are held in memory and appended to a table. Steps of the group's
 * transaction run one at a time, so only one of two concurrent claims succeeds.
 */
export function claimTable(parts: ClaimTableOptions): ClaimTable {
  const { group, guard, heldMax } = parts
  const statements = prepareClaims(parts)
  const { newest, all, forget } = statements
  const rows = guard(() => all.all())
  const held = holdClaims(rows)
  const { takeBack, ...changes } = claimChanges(parts, held, statements)
  const claiming = createClaiming(parts, held, { ...statements, lastId: rows.at(-1)?.id ?? 0 })

  async function claim(wanted: Claim, nowMs: number, use?: ClaimedUse): Promise<boolean> {
    if (group.isLost(wanted)) return false
    assertRoom(wanted, nowMs, use)
    const attempted = claiming.begin(wanted, nowMs, use)
    const arrive = held.expect(claimsInCommit(wanted, use).map(({ owner = null }) => owner))
    try {
      const refused = await group.durably(attempted.within, () => takeBack(attempted.made))
      if (refused) throw refused
      for (const row of attempted.made) held.put(row)
      return attempted.made.length > 0
    } finally {
      attempted.end()
      arrive()
    }
  }

  /**
   * Throws Failure `store_unavailable` if the owner has used its share of the free claims. A write that only cancels or
   * reduces always passes.
   */
  function assertRoom(wanted: Claim, nowMs: number, use?: ClaimedUse): void {
    const made = claimsInCommit(wanted, use)
    const isLong = made.some((each) => isDayClaim(each, nowMs))
    const free = (isLong ? heldMax / 2 : heldMax) - held.count()
    const share = wanted.owner === undefined ? free : free / LIMITS.claimShares
    const own = wanted.owner === undefined ? 0 : held.heldBy(wanted.owner)
    if (free >= made.length && own + made.length <= share) return
    if (wanted.isReducing?.() !== true) throw new Failure('store_unavailable')
  }

  return {
    claim,
    ...changes,
    list: async (rowsMax) => ({ count: held.count(), rows: guard(() => newest.all({ rowsMax })) }),
    find: async (identity) => {
      const row = held.find(identity)
      return row ? { expiresAtMs: row.expiresAtMs, record: row.record } : null
    },
    sweep: (nowMs, rowsMax) => {
      const over = held.over(nowMs, rowsMax)
      if (over.length > 0) forget(over)
      held.drop(over)
      return over.length
    },
  }
}

type Claiming = Pick<ReturnType<typeof prepareClaims>, 'put'> & { readonly lastId: number }

/**
 * Makes claims inside a group's transaction. An identity that is already held, or pending in the same transaction, is
 * refused.
 */
function createClaiming(
  { group, spending }: ClaimTableOptions,
  held: HeldClaims,
  { put, ...last }: Claiming,
) {
  const pending = new Set<string>()
  let { lastId } = last

  function isTaken(wanted: Claim, nowMs: number): boolean {
    const { identity } = wanted
    const known = held.find(identity)
    if (group.isLost(wanted) || pending.has(identity)) return true
    return known !== undefined && known.expiresAtMs > nowMs
  }

  function reserveUse(nowMs: number, use?: ClaimedUse): Error | null {
    if (!use) return null
    const isOther = use.ids.some((id) => isTaken(id, nowMs))
    const judge = (used: ReservedUse) => use.refusal(used, isOther)
    return spending.reserveWithin(use.reservation, judge, use.unseenSinceMs)
  }

  function append(wanted: Claim, nowMs: number, commit: Commit) {
    const { identity, sinceMs, expiresAtMs, record = null, owner = null } = wanted
    lastId += 1
    const row = { id: lastId, identity, expiresAtMs, record, owner }
    // The owner is stored only for claims held for a day, so only such claims count towards shares after a restart.
    const keptOwner = isDayClaim(wanted, nowMs) ? owner : null
    put.run({ ...row, owner: keptOwner, sequence: commit.sequence })
    commit.isCounted = true
    commit.signedMs = Math.max(commit.signedMs, sinceMs)
    pending.add(identity)
    return row
  }

  return {
    begin: (wanted: Claim, nowMs: number, use?: ClaimedUse) => {
      const made: ClaimRow[] = []
      return {
        made,
        /**
         * Adds the rows of a claim. If the limits refuse the write, returns the refusal and adds nothing; otherwise
         * null. Also adds nothing if the identity is already claimed.
         */
        within: (commit: Commit): Error | null => {
          if (isTaken(wanted, nowMs)) return null
          const refusal = reserveUse(nowMs, use)
          if (!refusal)
            for (const each of claimsInCommit(wanted, use)) made.push(append(each, nowMs, commit))
          return refusal
        },
        end: () => {
          for (const { identity } of made) pending.delete(identity)
        },
      }
    },
  }
}

type ClaimChanges = Pick<ClaimTable, 'release' | 'settle'> & {
  /** Ends rows whose writes were refused after the commit. If the update fails, the next sweep deletes these rows. */
  readonly takeBack: (rows: readonly ClaimRow[]) => void
}

/** Releases and settles claims: first in the file, then in memory. */
function claimChanges(
  { database, spending, guard }: ClaimTableOptions,
  held: HeldClaims,
  { end, note }: Pick<ReturnType<typeof prepareClaims>, 'end' | 'note'>,
): ClaimChanges {
  const endAll = database.transaction((rows: readonly ClaimRow[]) => {
    for (const { id, identity } of rows) {
      end.run({ id })
      spending.dropWithin(identity)
    }
  })
  return {
    takeBack: (rows) => {
      for (const row of rows) held.giveBack(row)
      endAll(rows)
    },
    release: async (identity, ids = []) => {
      const all = [identity, ...ids.map((id) => id.identity)]
      const rows = all.flatMap((each) => held.find(each) ?? [])
      if (rows.length === 0) return
      attemptOptional(guard, () => {
        endAll(rows)
        for (const row of rows) held.giveBack(row)
      })
    },
    settle: async (identity, record) => {
      const row = held.find(identity)
      if (!row) return
      attemptOptional(guard, () => {
        note.run({ id: row.id, record })
        held.put({ ...row, record })
      })
    },
  }
}

function prepareClaims({ database, synced }: Pick<ClaimTableOptions, 'database' | 'synced'>) {
  const columns = 'identity, expires_at_ms AS expiresAtMs'
  return {
    put: synced.prepare<null, [ClaimRow & { sequence: number }]>(
      `INSERT INTO claims (id, identity, expires_at_ms, sequence, record, owner)
       VALUES ($id, $identity, $expiresAtMs, $sequence, $record, $owner)`,
    ),
    end: database.prepare<null, [{ id: number }]>(
      'UPDATE claims SET expires_at_ms = 0 WHERE id = $id',
    ),
    note: database.prepare<null, [Pick<ClaimRow, 'id' | 'record'>]>(
      'UPDATE claims SET record = $record WHERE id = $id',
    ),
    newest: database.prepare<Omit<ClaimRow, 'id' | 'record' | 'owner'>, [{ rowsMax: number }]>(
      `SELECT ${columns} FROM claims WHERE expires_at_ms > 0 ORDER BY id DESC LIMIT $rowsMax`,
    ),
    all: database.prepare<ClaimRow, []>(
      `SELECT id, ${columns}, record, owner FROM claims ORDER BY id`,
    ),
    forget: deletion(database),
  }
}

/** Deletes rows. Only the newest row may carry the number of the last commit, so that number is first stored separately. */
function deletion(database: Statements): (rows: readonly ClaimRow[]) => void {
  const keep = database.prepare<null, []>(
    `UPDATE commits SET sequence =
       max(sequence, coalesce((SELECT sequence FROM claims ORDER BY id DESC LIMIT 1), 0))`,
  )
  const drop = database.prepare<null, [{ id: number }]>('DELETE FROM claims WHERE id = $id')
  return database.transaction((rows: readonly ClaimRow[]) => {
    keep.run()
    for (const { id } of rows) drop.run({ id })
  })
}
