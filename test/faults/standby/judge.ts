import { AFTER_MS, type ClientLine, type Signed } from './client.ts'
import type { Change } from './history.ts'
import type { Passed } from './way.ts'

/** Everything that was seen of the standbys of a run. */
export type Seen = {
  /** The ids of all accounts, by their places. */
  readonly accounts: readonly string[]
  readonly lines: readonly ClientLine[]
  readonly changes: readonly Change[]
  readonly passed: readonly Passed[]
}

/** One deposit, and everything that became of it. */
type Deposit = {
  readonly name: string
  readonly signed: readonly Signed[]
  readonly ends: { readonly how: string; readonly atMs: number; readonly failure: string | null }[]
}

const ENDED: ReadonlySet<string> = new Set(['cancelled', 'withdrawn', 'lapsed'])
/** The venue refuses a cancel that is older than 300 s; none is sent after 270 s. */
const HORIZON_MS = 270_000
/** What a cancel may end with whose answer was lost. */
const UNKNOWN: ReadonlySet<unknown> = new Set(['outcome_unknown', 'duplicate_request'])

/** How many deposits ended in which way, and everything that must not be. */
export function judge(seen: Seen) {
  const deposits = depositsOf(seen)
  const sent = Map.groupBy(seen.passed, ({ signature }) => signature)
  const wrong = [
    ...[...sent].flatMap(([signature, times]) =>
      times.length > 1
        ? [`sent ${times.length} times: ${signature.slice(0, 12)}: ${JSON.stringify(times)}`]
        : [],
    ),
    ...seen.changes.flatMap(wrongChange),
    ...deposits.flatMap((deposit) => wrongDeposit(deposit, sent)),
  ]
  const ways: Record<string, number> = {}
  for (const { ends } of deposits)
    for (const { how, failure } of ends) {
      const way = failure === null ? how : `${how}: ${failure}`
      ways[way] = (ways[way] ?? 0) + 1
    }
  return { deposits: deposits.length, ways, wrong }
}

/** The deposits that were stored; those that were not never came into force. */
function depositsOf({ accounts, lines, changes }: Seen): readonly Deposit[] {
  const deposits = new Map<string, Deposit>()
  const nameOf = (accountId: string, signedAtMs: number | undefined) =>
    `${accountId.slice(0, 10)} ${signedAtMs}`
  const stored = new Set(changes.map(({ accountId, signedAtMs }) => nameOf(accountId, signedAtMs)))
  for (const line of lines) {
    if (line.what !== 'arm') continue
    const name = nameOf(accounts[line.at] ?? '', line.signed[0]?.timestamp)
    if (stored.has(name)) deposits.set(name, { name, signed: line.signed, ends: [] })
  }
  for (const { atMs, accountId, signedAtMs, state, failure, before } of changes) {
    const ends = deposits.get(nameOf(accountId, signedAtMs))?.ends
    if (ENDED.has(state)) ends?.push({ how: state, atMs, failure })
    if (before?.state !== 'armed' || before.signedAtMs === signedAtMs) continue
    const replaced = deposits.get(nameOf(accountId, before.signedAtMs))
    replaced?.ends.push({ how: 'renewed', atMs, failure: null })
  }
  return [...deposits.values()]
}

/** Nothing takes the place of one that is being sent, and what has ended does not begin again. */
function wrongChange({ accountId, signedAtMs, state, before }: Change): readonly string[] {
  if (!before) return []
  const isSame = before.signedAtMs === signedAtMs
  const isWrong = isSame ? ENDED.has(before.state) : before.state === 'sending'
  return isWrong ? [`${accountId.slice(0, 10)} ${signedAtMs}: ${before.state}, then ${state}`] : []
}

function wrongDeposit(
  { name, signed, ends }: Deposit,
  sent: ReadonlyMap<string, readonly Passed[]>,
): readonly string[] {
  const [end] = ends
  if (!end || ends.length > 1)
    return [`${name} ended ${ends.length} times: ${ends.map(({ how }) => how).join(', ')}`]
  const { how, atMs, failure } = end
  const times = signed.flatMap(({ signature }) =>
    (sent.get(signature) ?? []).map((one) => one.atMs),
  )
  const dueAtMs = Number(signed[0]?.timestamp) + AFTER_MS
  const tooOldAtMs = Number(signed.at(-1)?.timestamp) + HORIZON_MS
  const wrong: string[] = []
  if (times.some((one) => one < dueAtMs)) wrong.push('sent before its time')
  if (how === 'cancelled' && times.length === 0) wrong.push('cancelled, and nothing was sent')
  if (how !== 'cancelled' && times.some((one) => one > atMs)) wrong.push(`sent after ${how}`)
  if (how === 'lapsed' && !UNKNOWN.has(failure) && atMs < tooOldAtMs) wrong.push('lapsed too early')
  if (how === 'lapsed' && failure === null) wrong.push('lapsed without a reason')
  return wrong.map((one) => `${name}: ${one}`)
}
