const PG = 'src/cluster/postgres'
const CONFIRMATION = `${PG}/write-lease.ts`
const FENCE = `${PG}/fence.ts`
const UNKNOWN = `${PG}/lost-claims.ts`
const KNOWN = `${PG}/known-database.ts`
const HISTORY = `${PG}/history.ts`
const CLAIMS = `${PG}/claims.ts`
const WITNESS = 'src/core/engines/witness.ts'
const MODEL = 'test/cluster/simulation'

/** How the simulation's line about a program that no longer writes begins. */
export const NOBODY_WRITES = 'nobody writes'

/**
 * The row of the schedules that notices it, and a change of one file: the text that is found there once, and its replacement.
 * The last member marks a check that prevents a lasting stop: without it, no instance writes again.
 */
type Mutant = readonly [
  row: string,
  path: string,
  found: RegExp,
  put: string,
  isNoticedBy?: typeof NOBODY_WRITES,
]

/*
 * Some checks have no mutant, because other checks refuse the same writes:
 * - The lease before a claim. The lease is asked for again after the commit. The first question spares a claim that is given back.
 * - The end of a lease at an admission. An admission waits until all leases of before have ended.
 * - A lease only after the witness has opened. An admission waits for the same moment. The lease matters only if the clock of
 *   Valkey steps back within that admission.
 * - One claim more for a branch that comes back. The time until then counts as lost as well. The claim is for the other records.
 * - A witness that is not written over another one. The question for its name at the admission, and each look, refuse the writes.
 * - The claims that an instance makes again at a server. The texts of a known loss are unknown already.
 */

/** Checks of the rule that are removed, or made wrong, one at a time: a schedule of the simulation has to notice each. */
// biome-ignore format: one edit a row
export const MUTANTS: Readonly<Record<string, Mutant>> = {
  'no lease is needed': ['a partition', CONFIRMATION, /registry !== null && fencing === 'prepd' && maySucceed && !isSynchronous/, 'false && maySucceed'],
  'a server with one name has no successor': ['a partition behind one name', CONFIRMATION, /place\.hosts\.length > 1 \|\| hasStandby/, 'place.hosts.length > 1 && (hasStandby || true)'],
  'texts ahead are not published': ['a partition, callers 120 s ahead', CONFIRMATION, /if \(!first\) return true\n/, 'if (first || !first) return true\n'],
  'texts ahead are sent unpublished': ['a partition, callers 120 s ahead', CONFIRMATION, /(if \(await isKnownToSuccessor\(memory, claims, nowMs\)\) return assertConfirmed\(\)\n) +if \(mustConfirm\(\)\) throw new FencedError\('unconfirmed'\)/, '$1'],
  'the lease is not asked after the commit': ['claims that are sent late, by a clock 20 s ahead', CONFIRMATION, /if \(await isKnownToSuccessor\(memory, claims, nowMs\)\) return assertConfirmed\(\)/, 'if (await isKnownToSuccessor(memory, claims, nowMs)) return'],
  'the standbys are not read after the commit': ['a standby that is waited for no more, and promoted', CONFIRMATION, /\(await standbyNames\(\)\) !== admitted\.standbyNames/, 'false'],
  'a changed witness is adopted': ['an instance that slept through a promotion', CONFIRMATION, /if \(mustConfirm\(\)\) throw new FencedError\('witness'\)\n( +memory\.admit)/, '$1'],
  'a server is admitted before the leases of its predecessor end': ['an emptied Valkey, with a lease of before', FENCE, /if \(verdict\.opensInMs > 0\) throw/, 'if (verdict.opensInMs > 1e9) throw'],
  'a restart is not noticed': ['a copy that lacks only claims made without Valkey', HISTORY, /found\.history === history && found\.run !== run/, 'found.history === history && run === history'],
  'leases of an earlier run are not counted': ['a copy that lacks only claims made without Valkey', UNKNOWN, /return Math\.max\(nowMs, seen\.leaseEndMs\)/, 'return Math.min(1, nowMs, seen.leaseEndMs)'],
  'the witness in the database is not read by a look': ['another Valkey, while its peer stood still for minutes', FENCE, /if \(confirmation\.mustConfirm\(\)\) await assertNames\(session, memory\.witness\(\)\)/, ''],
  'the witness in the database is not read at admission': ['two Valkeys at once', FENCE, /if \(expected\.needsLease\) await assertNames\(session, expected\.witness\)/, ''],
  'an instance is unknown to its peers': ['another Valkey, whose instance stops no other', FENCE, /if \(expected\.needsLease\) await register\w*\(session, registry\.instance\)/, ''],
  'every witness is believed': ['a failover with Valkey emptied and an instance gone, callers 60 s ahead', UNKNOWN, /verdict\.witness === evidence\.witness \|\| \(isWhole &&/, 'isWhole || (!isWhole ||'],
  'a database without losses is believed': ['Valkeys of their own, the clock of one and callers ahead', UNKNOWN, /if \(witness === '' \|\| !isStrict\) return true/, 'if (witness !== undefined || !isStrict) return true'],
  'a used witness is believed': ['a used Valkey', UNKNOWN, /return !isUsed && \(/, 'return (isUsed || !isUsed) && ('],
  'a silent peer was at this witness': ['an instance that slept for minutes', UNKNOWN, /\(missing === 'silent' && isSound\)/, "(missing === 'silent' && (isSound || true))"],
  'a living peer counts as a silent one': ['a replica of Valkey beside its primary', UNKNOWN, /\(missing === 'silent' && isSound\)/, "(missing !== 'none' && isSound)"],
  'missing peers are not counted': ['another Valkey, whose instance stops no other', UNKNOWN, /\(missing === 'none' \|\| \(missing === 'silent' && isSound\)\)/, '(missing !== undefined || isSound)'],
  'a living peer with another witness is ignored': ['another Valkey, whose instance stops no other', UNKNOWN, /return isWhole && missing === 'living' \? null :/, 'return isWhole && missing === undefined ? null :'],
  'nothing ahead is unknown to a new witness': ['a failover with Valkey emptied and an instance gone, callers 60 s ahead', UNKNOWN, /verdict\.nowMs \+ aheadMaxMs\(verdict\)/, 'verdict.nowMs + 0 * aheadMaxMs(verdict)'],
  'a database that is behind lost nothing until now': ['a copy, the clock of Valkey and callers ahead', UNKNOWN, /const untilMs = isBehind \|\| lostUntilMs === 0 \? nowMs : 0/, 'const untilMs = nowMs * 0'],
  'unpublished texts ahead are not counted': ['a copy after texts ahead that Valkey does not know', UNKNOWN, /Math\.max\(lostUntilMs, untilMs, marks\.signedMs\)/, 'Math.max(lostUntilMs, untilMs, marks.signedMs * 0)'],
  'alone, nothing ahead is unknown': ['a copy while Valkey is away, callers 120 s ahead', UNKNOWN, /: nowMs \+ LIMITS\.signatureAgeMaxMs\n/, ': nowMs\n'],
  'peers that know the database are not waited for': ['a restarted server that one instance knows', UNKNOWN, /if \(monotonicMs\(\) - sinceMs < SILENT_INSTANCE_WAIT_MS\) throw/, 'if (monotonicMs() - sinceMs < 0) throw'],
  'leases of the predecessor are not counted as lost': ['a partition', WITNESS, /\[leaseEndMs, nowMs\]/, '[nowMs]'],
  'the time until the registration is not counted as lost': ['a failover that the operator fences', WITNESS, /\[leaseEndMs, nowMs\]/, '[leaseEndMs]'],
  'a successor opens at once': ['a successor whose predecessor holds a lease', WITNESS, /opensAtMs: Math\.max\(opensAtMs, leaseEndMs\)/, 'opensAtMs'],
  'a Valkey that starts anew is the same witness': ['an old Valkey', WITNESS, /if \(before\?\.witness\.startsWith\(`\$\{run\} `\)\) return before/, 'if (before?.witness) return before', NOBODY_WRITES],
  'a new witness opens at once': ['an emptied Valkey, whose clock steps back, with a lease of before', WITNESS, /opensAtMs: nowMs \+ LEASE_MS \}/, 'opensAtMs: nowMs }'],
  'an earlier timeline is accepted': ['a server that was left', WITNESS, /if \(known\.timeline > state\.timeline\) return 'timeline'/, ''],
  'another branch is accepted at once': ['a twin that stops nobody', WITNESS, /isOther && silentMs < SILENT_INSTANCE_WAIT_MS/, 'isOther && silentMs < 0'],
  'every branch of a timeline is the same': ['two histories with one number', WITNESS, /known\.branch === '' \|\| known\.branch === branchText\(state\) \? 'same' : 'other'/, "'same'"],
  'an earlier claim says that the standbys have all': ['a standby that is waited for too late', WITNESS, /state\.isSynchronous && \(held\.isSynced \|\| state\.claims > marks\.claims\)/, 'state.isSynchronous || held.isSynced'],
  'the standbys always have all': ['a partition', WITNESS, /isSynced \? \[NOTHING_LOST_MS\]/, 'isSynced || true ? [NOTHING_LOST_MS]'],
  'a look lets its history take the place of another': ['an instance that slept beside a twin', WITNESS, /isUnjudged \? 'branch' : null/, 'isUnjudged ? null : null'],
  'leases are not recorded': ['a partition', WITNESS, /Math\.max\(held\.leaseEndMs, nowMs \+ LEASE_MS\)/, 'held.leaseEndMs'],
  'a lease ends when the clock of Valkey steps back': ['a clock of Valkey that steps back', WITNESS, /Math\.max\(held\.leaseEndMs, nowMs \+ LEASE_MS\)/, 'nowMs + LEASE_MS'],
  'a timeline that was left is forgotten': ['a server that was left and forgotten', KNOWN, /past\.assertNot\(state\)/, ''],
  'a replaced server is accepted': ['a server that both instances have left', KNOWN, /state\.timeline < known\.timeline\)/, 'state.timeline < 0)'],
  'another branch is accepted without Valkey': ['restored twins while Valkey is away', KNOWN, /if \(!answer && registry\) assertSameBranch\(known, state\)/, ''],
  'a lease holds for 30 s': ['a partition', KNOWN, /endsMs: fromMs \+ LEASE_MS/, 'endsMs: fromMs + 30_000'],
  'a lease begins with its answer': ['a look that lasts for minutes', KNOWN, /lease\.take\(fromMs, nowMs/, 'lease.take(monotonicMs(), nowMs'],
  'a lease is renewed without a look at the database': ['a look that lasts for minutes', FENCE, /createCommitReporter\(parts, memory, confirm\)/, 'createCommitReporter(parts, memory, () => confirm(parts.monotonicMs()))'],
  'the clock of the machine says what is ahead': ['a partition, the clock of an instance and callers ahead', KNOWN, /current \? current\.nowMs \+ monotonicMs\(\) - current\.answeredMs : nowMs/, 'nowMs + 3000 * Number(current === undefined)'],
  'a database that is behind is not noticed': ['a copy, the clock of Valkey and callers ahead', HISTORY, /found\.claims < marks\.claims \|\|/, 'found.claims < marks.claims * 0 ||'],
  'a database that nothing knows is not noticed': ['a rollback with everything stopped', HISTORY, /!expected\.isWitnessed && run !== expected\.run/, '!expected.isWitnessed && run !== run'],
  'another history is not noticed': ['a synchronous failover, and Valkey emptied later', HISTORY, /found\.history === history &&\n/, ''],
  'texts of the lost time are new': ['a partition', HISTORY, /sinceMs <= lostAtMs \|\|/, 'lostAtMs < 0 ||'],
  'an empty database that has moved is a new one': ['two Valkeys at once', HISTORY, /return isEmpty\(found\) && found\.history === history/, 'return isEmpty(found) && (found.history === history || true)'],
  'an empty database that has moved lost no records': ['a standby without a claim', HISTORY, /!isNewDatabase\(found, expected\) \?/, '!isEmpty(found) ?'],
  'texts from before a new database are new': ['a new database', HISTORY, /isSigned && sinceMs < beganMs/, 'isSigned && beganMs < 0'],
  'numbers of lost claims are given again': ['two copies, one after the other', HISTORY, /if \(isBehind\(found, marks\)\) await session\.ask\(SKIP, marks\)/, ''],
  'published claims are not claimed': ['a failover with an instance gone, callers 60 s ahead', HISTORY, /await assertPublished\(session, expected\.published\)/, ''],
  'published claims are claimed before the loss is recorded': ['a copy, half of the callers ahead', HISTORY, /(const first = await read\(session\)\n)/, 'await assertPublished(session, expected.published)\n$1'],
  'lost texts are sent': ['a partition', CLAIMS, /if \(isLost\(wanted, losses\(\)\)\) return false\n/, ''],
  'a claim is sent uncovered': ['claims that are sent late, by a clock 20 s ahead', CLAIMS, /await fence\n( +\.cover)/, 'if (all.length > 99) await fence\n$1'],
  'the answer of a lost server counts': ['a server that is lost slowly, callers 60 s ahead', CLAIMS, /return generation === link\.generation\(\) \? answer : null/, 'return answer'],
  'the row of a claim that was given back stays': ['a copy with claims that were given back, callers 120 s ahead', `${MODEL}/postgres-data.ts`, /data\.claims\.get\(String\(identity\)\)\?\.attempt === attempt\) return/, "data.claims.has(String(identity)) && attempt !== '') return"],
}

/** Programs that have no invariant broken, although their row may miss writes: no schedule may count as noticing them. */
// biome-ignore format: one edit a row
export const STOPPED: Readonly<Record<string, Mutant>> = {
  'every write is refused': ['another Valkey, whose instance stops no other', CONFIRMATION, /if \(mustConfirm\(\) && !memory\.isLeased\(\)\) throw/, 'throw'],
  'every admission is refused': ['a standby without a claim', FENCE, /if \(verdict\.opensInMs > 0\) throw/, 'throw'],
  'every look throws': ['another Valkey, whose instance stops no other', FENCE, /(const before = confirmation\.admitted\(\))/, "throw new TypeError('a mutant')\n$1"],
}

/** The name under which the runner takes the program as it is. */
export const UNCHANGED = 'unchanged'

/** The text of a mutant's file with its change. Throws RangeError where the file does not have the text exactly once. */
export function mutatedText(text: string, [, path, found, put]: Mutant): string {
  const count = [...text.matchAll(new RegExp(found, 'g'))].length
  const changed = text.replace(found, put)
  if (count !== 1 || changed === text) throw new RangeError(`${path} has ${found} ${count} times`)
  return changed
}
