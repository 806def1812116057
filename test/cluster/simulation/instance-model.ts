import { postgresClaims } from '../../../src/cluster/postgres/claims.ts'
import type { Session } from '../../../src/cluster/postgres/connection.ts'
import { PostgresError } from '../../../src/cluster/postgres/errors.ts'
import { createFence } from '../../../src/cluster/postgres/fence.ts'
import type { DatabaseLosses } from '../../../src/cluster/postgres/history.ts'
import { createOwnClaims } from '../../../src/cluster/postgres/own-claims.ts'
import type { Link } from '../../../src/cluster/postgres/primary-queries.ts'
import type { Server } from '../../../src/cluster/postgres/server.ts'
import type { Claim, ClaimStore } from '../../../src/core/claim.ts'
import type { DatabaseRegistry } from '../../../src/core/engines/database.ts'
import { createEngineHealth } from '../../../src/core/engines/health.ts'
import type { Log } from '../../../src/core/ports.ts'
import type { CommitMark } from '../../../src/store/connection/commit-mark.ts'
import type { VirtualTime } from './time.ts'

/** What an instance of the model reaches: a connection to each host, and what a server says of itself. */
export type Host = { readonly connect: () => Session; readonly look: () => Server | null }

export type InstanceModel = {
  readonly name: string
  readonly claim: ClaimStore['claim']
  /** Why its database is fenced, or null. */
  readonly trouble: () => string | null
  readonly stop: () => void
}

type Parts = {
  readonly name: string
  readonly time: VirtualTime
  readonly hosts: readonly Host[]
  readonly registry: DatabaseRegistry
  readonly fencing: 'prepd' | 'operator'
  readonly marks: Marks
  readonly random: () => number
  readonly log: Log
}

type Found = { readonly session: Session; readonly server: Server; readonly host: Host }

const LOOK_EVERY_MS = 1000
const SEEK_EVERY_MS = 250
const WAIT_MAX_MS = 1000
const HEARTBEAT = { text: 'INSERT INTO prepd_instances' }
const HEARTBEAT_MS = 60_000

/** The data directory of an instance. */
export type Marks = { commits: number; vouchers: number; signedMs: number; isNew: boolean }

export function newMarks(): Marks {
  return { commits: 0, vouchers: 0, signedMs: 0, isNew: true }
}

function markOf(marks: Marks): CommitMark {
  return {
    read: () => ({ ...marks }),
    write: (written) => void Object.assign(marks, written, { isNew: false }),
    writeVouchers: (vouchers) => void Object.assign(marks, { vouchers, isNew: false }),
    close: () => undefined,
  }
}

/** Starts the product's fence and claims on ports of the model. */
export function startInstance(parts: Parts): InstanceModel {
  const { time, random } = parts
  const world = {
    ...{ monotonicMs: time.nowMs, sleep: time.delay, log: parts.log },
    random: { bytes: (length: number) => Uint8Array.from({ length }, () => random() * 256) },
  }
  const fence = createFence({
    ...{ ...world, deployment: 'one', registry: parts.registry, fencing: parts.fencing },
    place: { hosts: parts.hosts.map((_, at) => ({ host: `h${at}`, port: 1 })) },
    markOf: () => markOf(parts.marks),
  })
  const own = createOwnClaims(time.nowMs)
  let losses: DatabaseLosses = { lostAtMs: 0, recordsLostAtMs: 0, beganMs: 0 }

  async function greet(session: Session, server: Server): Promise<void> {
    losses = await fence.admit(session, server)
    await own.assert(session)
    await own.release(session, time.nowMs())
  }

  const primary = seeker(parts, greet, fence.look)
  const link = linkOf(parts, primary)
  const { claim } = postgresClaims({ link, own, fence, random: world.random, losses: () => losses })
  return { name: parts.name, claim, trouble: primary.trouble, stop: primary.stop }
}

type Judge = (session: Session, server: Server) => Promise<unknown>

/** Finds the first host that may be written to, and looks at it every second. */
function seeker({ time, hosts, name }: Parts, greet: Judge, look: Judge) {
  let found: Found | null = null
  let generation = 0
  let isOver = false
  let heartbeatMs = time.nowMs() + HEARTBEAT_MS
  let trouble: string | null = null

  function lose(lost: Found): void {
    if (found !== lost) return
    found = null
    generation += 1
  }

  async function tryHost(host: Host): Promise<Found | null> {
    const session = host.connect()
    const server = host.look()
    if (!server) return null
    try {
      await greet(session, server)
      trouble = null
      return { session, server, host }
    } catch (error) {
      trouble = messageOf(error)
      return null
    }
  }

  async function watch(current: Found): Promise<void> {
    const server = current.host.look()
    if (server?.run !== current.server.run) return lose(current)
    try {
      await look(current.session, server)
      if (time.nowMs() < heartbeatMs) return
      heartbeatMs = time.nowMs() + HEARTBEAT_MS
      await current.session.ask(HEARTBEAT, { name })
    } catch (error) {
      trouble = messageOf(error)
      lose(current)
    }
  }

  async function seek(): Promise<void> {
    while (!isOver) {
      for (const host of hosts) if (!found && !isOver) found = await tryHost(host)
      await time.delay(SEEK_EVERY_MS)
    }
    found = null
  }

  /** Looks at one server while another may already be sought. */
  async function lookOften(): Promise<void> {
    while (!isOver) {
      await time.delay(LOOK_EVERY_MS)
      if (found) await watch(found)
    }
  }

  for (const live of [seek, lookOften])
    live().catch((error: unknown) => {
      throw error
    })
  return {
    found: () => (isOver ? null : found),
    lose,
    generation: () => generation,
    trouble: () => trouble,
    stop: () => {
      isOver = true
    },
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof PostgresError)) throw error
  return error.message
}

/** The product's link to whichever server is found, as far as claims use it. */
function linkOf({ time }: Parts, primary: ReturnType<typeof seeker>): Link {
  async function onServer<Value>(
    endsMs: number,
    work: (session: Session) => Promise<Value>,
  ): Promise<Value> {
    while (!primary.found() && time.nowMs() < endsMs) await time.delay(50)
    const found = primary.found()
    if (!found) throw new PostgresError('unreachable', false, false)
    try {
      return await work(found.session)
    } catch (error) {
      if (error instanceof PostgresError && error.isLost) primary.lose(found)
      throw error
    }
  }

  const endsMs = () => time.nowMs() + WAIT_MAX_MS
  const asking: ReturnType<Link['using']> = {
    ask: (statement, values, until = endsMs()) =>
      onServer(until, (session) => session.ask(statement, values)),
    transact: (steps, until = endsMs()) => onServer(until, steps),
  }
  return {
    ...asking,
    ...{
      generation: primary.generation,
      close: primary.stop,
      health: createEngineHealth('postgres'),
    },
    ...{ endsMs, using: () => asking, look: async () => undefined },
  }
}

/** A signed text as the relay claims it. */
export function claimOfText(identity: string, signedMs: number): Claim {
  return { identity, sinceMs: signedMs, expiresAtMs: signedMs + 360_000, isSigned: true }
}
