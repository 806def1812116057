import { LIMITS } from '../../contract/limits.ts'
import type { DatabaseRegistry } from '../../core/engines/database.ts'
import type { EngineHealth } from '../../core/engines/health.ts'
import { every, reportUnexpected } from '../../core/loop/guarded.ts'
import type { Store, World } from '../../core/ports.ts'
import type { PostgresEndpoint } from '../../core/settings/engine-urls.ts'
import type { CommitMark } from '../../store/connection/commit-mark.ts'
import { statement } from '../../store/connection/statement.ts'
import type { VoucherStore } from '../../store/voucher/port.ts'
import { postgresJournal } from './agent-journal.ts'
import { FORGET_APPROVALS, postgresApprovals } from './approvals.ts'
import { DROP_SIGNED, postgresClaims } from './claims.ts'
import { deleteUnlocked, type Session } from './connection.ts'
import { postgresControls } from './controls.ts'
import { CrowdedError, PostgresError } from './errors.ts'
import { createFence } from './fence.ts'
import type { DatabaseLosses } from './history.ts'
import { postgresNonces, postgresProofs } from './identities.ts'
import { postgresMandates } from './mandates.ts'
import { migratePostgres } from './migrations.ts'
import { numberedQueries } from './numbered-queries.ts'
import { createOwnClaims, type OwnClaims } from './own-claims.ts'
import { guardedQueries, type Link, openLink, PRIORITY_CALLER } from './primary-queries.ts'
import type { Server } from './server.ts'
import { postgresSpending } from './spending.ts'
import { FORGET_STANDBYS, postgresStandbys } from './standbys.ts'
import { createStats } from './stats.ts'
import { postgresTraffic } from './traffic.ts'
import { sharedVouchers, signerTable } from './vouchers.ts'
import { FORGET_MESSAGES, GIVE_UP_MESSAGES, postgresWebhooks } from './webhooks.ts'

/** The state that all instances share in PostgreSQL. */
export type SharedStore = Omit<Store, 'windows' | 'responses'> & {
  readonly health: EngineHealth
  readonly vouchers: Omit<VoucherStore, 'close'>
}

type PostgresStoreOptions = Pick<World, 'clock' | 'monotonicMs' | 'random' | 'log'> & {
  readonly place: PostgresEndpoint
  readonly connectionsMax: number
  readonly idleMs: number
  /** An identity of the deployment that is configured outside of the database, the same for all its instances. */
  readonly deployment: string
  /** The instances' shared memory about the database, kept in Valkey; null for an operator command, which writes no claims. */
  readonly registry: DatabaseRegistry | null
  /** The party that has to prevent writes to a replaced primary. */
  readonly fencing: 'prepd' | 'operator'
  /** Opens the marks (highest known numbers) of a deployment in this instance's data directory. */
  readonly markOf: (deployment: string) => CommitMark
}

const TICK_EVERY_MS = 1000
const STATS_EVERY_TICKS = 30

/**
 * Opens the tables of a database and creates missing tables. Also opens while PostgreSQL is away; calls then throw
 * Failure `store_unavailable` until it is back. Throws only errors that the operator has to fix.
 */
export async function openPostgres(parts: PostgresStoreOptions): Promise<SharedStore> {
  const { monotonicMs, random, log } = parts
  const fence = createFence({ ...parts, sleep: Bun.sleep })
  const own = createOwnClaims(monotonicMs)
  let losses: DatabaseLosses = { lostAtMs: 0, recordsLostAtMs: 0, beganMs: 0 }
  let [ticks, reasserted] = [0, 0]

  // Restores this instance's claims to a new server before any query runs on it.
  async function greet(session: Session, server: Server): Promise<void> {
    const migration = await migratePostgres(session)
    if (migration) log.info('store_upgraded', { engine: 'postgres', ...migration })
    losses = await fence.admit(session, server)
    reasserted += await own.assert(session)
    await own.release(session, monotonicMs())
  }

  const link = await openLink({ ...parts, greet, confirm: fence.look })
  const [queries, acts] = [guardedQueries(link), numberedQueries(link, fence)]
  // These checks go ahead of callers' queries, because mandates count as unknown until the checks have run.
  const ahead = { ...link, ...link.using('other', PRIORITY_CALLER) }
  const [controls, mandates] = [postgresControls(ahead, acts), postgresMandates(ahead, acts)]
  const [stats, agentJournal] = [createStats(link), postgresJournal(queries)]
  const timer = every('store', TICK_EVERY_MS, () => tick(link))

  async function tick({ look, generation }: Link): Promise<void> {
    const before = generation()
    try {
      await look()
      await Promise.all([controls.look(), mandates.look()])
      await own.release(link, monotonicMs())
      if (ticks % STATS_EVERY_TICKS === 0) await stats.read()
      ticks += 1
    } catch (error) {
      // The link has already noted the error. A mere lack of free connections does not change the database.
      if (!(error instanceof CrowdedError) || generation() !== before) mandates.miss()
      reportUnexpected('store', error, PostgresError)
    }
  }

  // The first tick measures the clock difference, which claims need.
  await tick(link)
  return {
    nonces: postgresNonces(queries),
    once: postgresClaims({ link, own, random, fence, losses: () => losses }),
    ...{ proofs: postgresProofs(link, monotonicMs), standbys: postgresStandbys(queries, acts) },
    ...{ controls, mandates, agentJournal, stats },
    spending: postgresSpending(link, own, () => losses),
    ...{ approvals: postgresApprovals(acts), webhooks: postgresWebhooks(queries, acts) },
    vouchers: { ...sharedVouchers(link, fence), ...signerTable(queries, random) },
    health: meteredHealth(link, () => reasserted),
    ...{ traffic: postgresTraffic(queries), check: async () => writeRefusalReason(link) },
    sweep: createSweep({ link, own, agentJournal }),
    close: () => {
      clearInterval(timer)
      link.close()
    },
  }
}

/** Why this instance takes no writes although PostgreSQL answers; null if it takes writes. */
function writeRefusalReason({ health }: Pick<Link, 'health'>): string | null {
  if (health.fault() === 'fenced') return `PostgreSQL is not written to: ${health.reason()}`
  const skewMs = Math.round(health.clockSkewMs() ?? 0)
  if (Math.abs(skewMs) < LIMITS.engineSkewMaxMs) return null
  const off = `${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead of'} this machine's`
  return `the clock of PostgreSQL is ${off}, so no write is taken: run chrony on both`
}

/** The health of the link, plus the number of claims that were restored to a server. */
function meteredHealth({ health }: Link, reasserted: () => number): EngineHealth {
  return {
    ...health,
    meterWith: (meter) => {
      health.meterWith(meter)
      meter.reading('prepd_engine_reasserted_claims_total', reasserted)
    },
  }
}

const EXPIRED = [
  ...['prepd_nonces', 'prepd_claims'].map((table) =>
    statement<object, { rowsMax: number }>(
      deleteUnlocked(table, 'expires_at <= now() ORDER BY expires_at LIMIT $rowsMax'),
    ),
  ),
  FORGET_STANDBYS,
  FORGET_APPROVALS,
  GIVE_UP_MESSAGES,
  FORGET_MESSAGES,
]

type SweepOptions = {
  readonly link: Link
  readonly own: OwnClaims
  readonly agentJournal: ReturnType<typeof postgresJournal>
}

/** Deletes expired rows, at most `rowsMax` per table, and the signed claims of whole past minutes. Returns their number. */
function createSweep({ link, own, agentJournal }: SweepOptions): Store['sweep'] {
  return async (nowMs, rowsMax) => {
    own.sweep(nowMs)
    if (!link.health.isUp()) return 0
    const { rows } = await link.ask(DROP_SIGNED, {})
    let gone = (await agentJournal.sweep(nowMs, rowsMax)) + (rows[0]?.gone ?? 0)
    for (const expired of EXPIRED) gone += (await link.ask(expired, { rowsMax })).count
    return gone
  }
}
