const PG = 'src/cluster/postgres'
const CONFIRMATION = `${PG}/confirmation.ts`
const FENCE = `${PG}/fence.ts`
const UNKNOWN = `${PG}/unknown.ts`
const KNOWN = `${PG}/known-database.ts`
const HISTORY = `${PG}/history.ts`
const CLAIMS = `${PG}/claims.ts`
const WITNESS = 'src/core/engines/witness.ts'
const MODEL = 'test/cluster/simulation'

/** A change of one file: the text that is found there once, and its replacement. */
type Edit = readonly [path: string, found: RegExp, put: string]

/** Checks of the rule that are removed, or made wrong, one at a time: a schedule of the simulation has to notice each. */
// biome-ignore format: one edit a row
export const MUTANTS: Readonly<Record<string, Edit>> = {
  'no lease is needed': [CONFIRMATION, /registry !== null && fencing === 'prepd' && maySucceed && !isSynchronous/, 'false && maySucceed'],
  'a server with one name has no successor': [CONFIRMATION, /place\.hosts\.length > 1 \|\| hasStandby/, 'place.hosts.length > 1 && (hasStandby || true)'],
  'texts ahead are not published': [CONFIRMATION, /if \(!first\) return true\n/, 'if (first || !first) return true\n'],
  'texts ahead are sent unpublished': [CONFIRMATION, /(if \(await isCovered\(memory, claims, nowMs\)\) return assertConfirmed\(\)\n) +if \(mustConfirm\(\)\) throw new FencedError\('unconfirmed'\)/, '$1'],
  'the lease is not asked after the commit': [CONFIRMATION, /assertConfirmed\(\)\n( +await assertSynchronous)/, '$1'],
  'the standbys are not read after the commit': [CONFIRMATION, /\(await standbyNames\(\)\) !== admitted\.standbyNames/, 'false'],
  'a changed witness is adopted': [CONFIRMATION, /if \(mustConfirm\(\)\) throw new FencedError\('witness'\)\n( +memory\.admit)/, '$1'],
  'a server is admitted before the leases of its predecessor end': [FENCE, /if \(verdict\.opensInMs > 0\) throw/, 'if (verdict.opensInMs > 1e9) throw'],
  'a restart is not noticed': [HISTORY, /found\.history === history && found\.run !== run/, 'found.history === history && run === history'],
  'leases of an earlier run are not counted': [UNKNOWN, /return Math\.max\(nowMs, seen\.leaseEndMs\)/, 'return Math.min(1, nowMs, seen.leaseEndMs)'],
  'the witness in the database is not read by a look': [FENCE, /if \(confirmation\.mustConfirm\(\)\) await assertNames\(session, memory\.witness\(\)\)/, ''],
  'the witness in the database is not read at admission': [FENCE, /if \(expected\.needsLease\) await assertNames\(session, expected\.witness\)/, ''],
  'an instance is unknown to its peers': [FENCE, /if \(expected\.needsLease\) await register\w*\(session, registry\.instance\)/, ''],
  'a witness is written over another one': [`${MODEL}/postgres-data.ts`, /if \(row\['witness'\] !== text\(values, 'before'\)\) return \[\]/, ''],
  'every witness is believed': [UNKNOWN, /verdict\.witness === evidence\.witness \|\| \(isWhole &&/, 'isWhole || (!isWhole ||'],
  'a database without losses is believed': [UNKNOWN, /if \(witness === '' \|\| !isStrict\) return true/, 'if (witness !== undefined || !isStrict) return true'],
  'a used witness is believed': [UNKNOWN, /return !isUsed && \(/, 'return (isUsed || !isUsed) && ('],
  'a silent peer was at this witness': [UNKNOWN, /\(missing === 'silent' && isSound\)/, "(missing === 'silent' && (isSound || true))"],
  'a living peer counts as a silent one': [UNKNOWN, /\(missing === 'silent' && isSound\)/, "(missing !== 'none' && isSound)"],
  'missing peers are not counted': [UNKNOWN, /\(missing === 'none' \|\| \(missing === 'silent' && isSound\)\)/, '(missing !== undefined || isSound)'],
  'a living peer with another witness is ignored': [UNKNOWN, /return isWhole && missing === 'living' \? null :/, 'return isWhole && missing === undefined ? null :'],
  'nothing ahead is unknown to a new witness': [UNKNOWN, /verdict\.nowMs \+ aheadMaxMs\(verdict\)/, 'verdict.nowMs + 0 * aheadMaxMs(verdict)'],
  'a database that is behind lost nothing until now': [UNKNOWN, /const untilMs = isBehind \|\| lostUntilMs === 0 \? nowMs : 0/, 'const untilMs = nowMs * 0'],
  'unpublished texts ahead are not counted': [UNKNOWN, /Math\.max\(lostUntilMs, untilMs, marks\.signedMs\)/, 'Math.max(lostUntilMs, untilMs, marks.signedMs * 0)'],
  'alone, nothing is lost': [UNKNOWN, /isKnown \? Math\.max\(nowMs, alone\.signedMs\) :/, 'isKnown ? 0 :'],
  'alone, nothing ahead is unknown': [UNKNOWN, /: nowMs \+ LIMITS\.signatureAgeMaxMs\n/, ': nowMs\n'],
  'peers that know the database are not waited for': [UNKNOWN, /if \(monotonicMs\(\) - sinceMs < CONFIRMED_MS\) throw/, 'if (monotonicMs() - sinceMs < 0) throw'],
  'leases of the predecessor are not counted as lost': [WITNESS, /\[leaseEndMs, nowMs\]/, '[nowMs]'],
  'the time until the registration is not counted as lost': [WITNESS, /\[leaseEndMs, nowMs\]/, '[leaseEndMs]'],
  'a successor opens at once': [WITNESS, /opensAtMs: Math\.max\(opensAtMs, leaseEndMs\)/, 'opensAtMs'],
  'a Valkey that starts anew is the same witness': [WITNESS, /if \(before\?\.witness\.startsWith\(`\$\{run\} `\)\) return before/, 'if (before) return before'],
  'a new witness opens at once': [WITNESS, /opensAtMs: nowMs \+ LEASE_MS \}/, 'opensAtMs: nowMs }'],
  'an earlier timeline is accepted': [WITNESS, /if \(known\.timeline > state\.timeline\) return 'timeline'/, ''],
  'another branch is accepted at once': [WITNESS, /isOther && silentMs < CONFIRMED_MS/, 'isOther && silentMs < 0'],
  'every branch of a timeline is the same': [WITNESS, /known\.branch === '' \|\| known\.branch === branchText\(state\) \? 'same' : 'other'/, "'same'"],
  'an earlier claim says that the standbys have all': [WITNESS, /state\.isSynchronous && \(held\.isSynced \|\| state\.claims > marks\.claims\)/, 'state.isSynchronous || held.isSynced'],
  'the standbys always have all': [WITNESS, /isSynced \? \[NOTHING_LOST_MS\]/, 'isSynced || true ? [NOTHING_LOST_MS]'],
  'leases are not recorded': [WITNESS, /Math\.max\(held\.leaseEndMs, nowMs \+ LEASE_MS\)/, 'held.leaseEndMs'],
  'a lease ends when the clock of Valkey steps back': [WITNESS, /Math\.max\(held\.leaseEndMs, nowMs \+ LEASE_MS\)/, 'nowMs + LEASE_MS'],
  'a branch that comes back needs no claim more': [WITNESS, /isOther && state\.isContinued \? 1 : 0/, 'isOther && state.isContinued ? 0 : 0'],
  'a timeline that was left is forgotten': [KNOWN, /past\.assertNot\(state\)/, ''],
  'a replaced server is accepted': [KNOWN, /state\.timeline < known\.timeline\)/, 'state.timeline < 0)'],
  'another branch is accepted without Valkey': [KNOWN, /if \(!answer && registry\) assertSameBranch\(known, state\)/, ''],
  'a lease holds for 30 s': [KNOWN, /endsMs: fromMs \+ LEASE_MS/, 'endsMs: fromMs + 30_000'],
  'a lease of another witness counts': [KNOWN, /verdict\.witness === witness && isSameHistory/, 'isSameHistory'],
  'a lease of another history counts': [KNOWN, /verdict\.witness === witness && isSameHistory\(known, state\)/, 'verdict.witness === witness'],
  'a lease begins with its answer': [KNOWN, /lease\.take\(leaseFromMs,/, 'lease.take(monotonicMs(),'],
  'a lease is renewed without a look at the database': [KNOWN, /leaseFromMs !== undefined && (isOwn && verdict\.opensInMs === 0\)\n +lease\.take\()leaseFromMs,/, '$1leaseFromMs ?? startedMs,'],
  'a lease is taken before it opens': [KNOWN, /isOwn && verdict\.opensInMs === 0\)/, 'isOwn)'],
  'a lease survives an admission': [KNOWN, /lease\.drop\(\)/, ''],
  'the clock of the machine says what is ahead': [KNOWN, /current \? current\.nowMs \+ monotonicMs\(\) - current\.answeredMs : nowMs/, 'nowMs + 3000 * Number(current === undefined)'],
  'a database that is behind is not noticed': [HISTORY, /found\.claims < marks\.claims \|\|/, 'found.claims < marks.claims * 0 ||'],
  'a database that nothing knows is not noticed': [HISTORY, /!expected\.isWitnessed && run !== expected\.run/, '!expected.isWitnessed && run !== run'],
  'another history is not noticed': [HISTORY, /found\.history === history &&\n/, ''],
  'texts of the lost time are new': [HISTORY, /sinceMs <= lostAtMs \|\|/, 'lostAtMs < 0 ||'],
  'texts from before a new database are new': [HISTORY, /isSigned && sinceMs < beganMs/, 'isSigned && beganMs < 0'],
  'numbers of lost claims are given again': [HISTORY, /if \(isBehind\(found, marks\)\) await session\.ask\(SKIP, marks\)/, ''],
  'published claims are not claimed': [HISTORY, /await assertPublished\(session, expected\.published\)/, ''],
  'published claims are claimed before the loss is recorded': [HISTORY, /(const first = await read\(session\)\n)/, 'await assertPublished(session, expected.published)\n$1'],
  'lost texts are sent': [CLAIMS, /if \(isLost\(wanted, losses\(\)\)\) return false\n/, ''],
  'the lease is not asked before a claim': [CLAIMS, /fence\.assertConfirmed\(\)/, ''],
  'a claim is sent uncovered': [CLAIMS, /await fence\n( +\.cover)/, 'if (all.length > 99) await fence\n$1'],
  'the answer of a lost server counts': [CLAIMS, /return generation === link\.generation\(\) \? answer : null/, 'return answer'],
  'claims are not made again at another server': [`${MODEL}/instance-model.ts`, /await own\.assert\(session\)/, ''],
  'the row of a claim that was given back stays': [`${MODEL}/postgres-data.ts`, /data\.claims\.get\(String\(identity\)\)\?\.attempt === attempt\) return/, "data.claims.has(String(identity)) && attempt !== '') return"],
}

/** The name under which the runner takes the program as it is. */
export const UNCHANGED = 'unchanged'

/** The text of a mutant's file with its change. Throws RangeError where the file does not have the text exactly once. */
export function mutatedText(text: string, [path, found, put]: Edit): string {
  const count = [...text.matchAll(new RegExp(found, 'g'))].length
  const changed = text.replace(found, put)
  if (count !== 1 || changed === text) throw new RangeError(`${path} has ${found} ${count} times`)
  return changed
}
