/** A row of claims. */
export type ClaimRow = {
  readonly id: number
  readonly identity: string
  readonly expiresAtMs: number
  readonly record: string | null
  /** The owner whose share of claims this row counts towards; null without an owner. */
  readonly owner: string | null
}

/** An in-memory copy of the claims table: live identities with their expiry, and expired rows that are not deleted yet. */
export type HeldClaims = {
  /** The last row of an identity; undefined if it was released or never claimed. */
  readonly find: (identity: string) => ClaimRow | undefined
  /** Adds a row. It replaces a row with the same id. */
  readonly put: (row: ClaimRow) => void
  /** Releases an identity; its row counts as expired. */
  readonly giveBack: (row: ClaimRow) => void
  /** At most `rowsMax` expired rows. */
  readonly over: (nowMs: number, rowsMax: number) => readonly ClaimRow[]
  /** Removes rows that were deleted from the table. */
  readonly drop: (rows: readonly ClaimRow[]) => void
  /** Counts claims of these owners that wait for the disk. Returns a function that ends this. */
  readonly expect: (owners: readonly ClaimRow['owner'][]) => () => void
  /** The number of identities, including claims that wait for the disk. */
  readonly count: () => number
  /** The number of an owner's rows, including claims that wait for the disk. */
  readonly heldBy: (owner: string) => number
}

/** Rows that expire within the same span share a bucket, so that a search for expired rows skips the others. */
const SPAN_MS = 10_000

/** Claims of these rows, in the order they were made. */
export function holdClaims(rows: readonly ClaimRow[]): HeldClaims {
  const byIdentity = new Map<string, ClaimRow>()
  const spans = createSpans()
  const owners = new Map<string, number>()
  let expected = 0

  function countFor({ owner }: Pick<ClaimRow, 'owner'>, added: number): void {
    if (owner === null) return
    const count = (owners.get(owner) ?? 0) + added
    if (count > 0) owners.set(owner, count)
    else owners.delete(owner)
  }

  function put(row: ClaimRow): void {
    const earlier = byIdentity.get(row.identity)
    byIdentity.set(row.identity, row)
    if (earlier?.id === row.id) spans.drop(earlier)
    else countFor(row, 1)
    spans.add(row)
  }

  function forget(row: ClaimRow): void {
    if (byIdentity.get(row.identity) === row) byIdentity.delete(row.identity)
    if (spans.drop(row)) countFor(row, -1)
  }

  function giveBack(row: ClaimRow): void {
    forget(row)
    spans.add({ ...row, expiresAtMs: 0, owner: null })
  }

  function addExpected(awaited: readonly ClaimRow['owner'][], added: 1 | -1): void {
    expected += added * awaited.length
    for (const owner of awaited) countFor({ owner }, added)
  }

  for (const row of rows) {
    put(row)
    if (row.expiresAtMs === 0) giveBack(row)
  }
  return {
    find: (identity) => byIdentity.get(identity),
    put,
    giveBack,
    over: spans.over,
    drop: (gone) => {
      for (const row of gone) forget(row)
    },
    expect: (awaited) => {
      addExpected(awaited, 1)
      return () => addExpected(awaited, -1)
    },
    count: () => byIdentity.size + expected,
    heldBy: (owner) => owners.get(owner) ?? 0,
  }
}

/** Rows by expiry. */
function createSpans() {
  const bySpan = new Map<number, Set<ClaimRow>>()

  function* rowsUpTo(nowMs: number): Iterable<ClaimRow> {
    for (const [span, together] of bySpan) if (span <= spanIndex(nowMs)) yield* together
  }

  return {
    add: (row: ClaimRow): void => {
      const span = spanIndex(row.expiresAtMs)
      const together = bySpan.get(span)
      if (together) together.add(row)
      else bySpan.set(span, new Set([row]))
    },
    /** Returns whether the row was present. */
    drop: (row: ClaimRow): boolean => {
      const span = spanIndex(row.expiresAtMs)
      const together = bySpan.get(span)
      const wasThere = together?.delete(row) ?? false
      if (together?.size === 0) bySpan.delete(span)
      return wasThere
    },
    over: (nowMs: number, rowsMax: number): readonly ClaimRow[] => {
      const found: ClaimRow[] = []
      for (const row of rowsUpTo(nowMs)) {
        if (found.length >= rowsMax) break
        if (row.expiresAtMs <= nowMs) found.push(row)
      }
      return found
    },
  }
}

function spanIndex(atMs: number): number {
  return Math.floor(atMs / SPAN_MS)
}
