import type { EntityStore } from '../../core/ports.ts'
import type { EngineJournal } from '../history/journal.ts'
import { createMinuteArchive, type MinuteArchive } from '../history/minute-archive.ts'
import { MARKETS } from '../listing/instruments.ts'
import type { EngineWorld } from '../state/world.ts'
import type { RequestLog } from './persist/log.ts'
import { openLog } from './persist/log.ts'
import { treeParts } from './persist/parts.ts'
import { restoreWorld } from './persist/restore.ts'
import type { Snapshot } from './persist/snapshot.ts'
import { snapshotRows } from './persist/snapshot.ts'
import { type FieldsOf, type OutcomeOf, REQUESTS, type RequestKind } from './requests.ts'
import {
  advance,
  createWorld,
  type InitialState,
  mayHaveFlow,
  observeMatches,
  settleWorld,
} from './run.ts'

/** A simulated world with its store. */
export type Engine = {
  readonly world: EngineWorld
  /** The minute candles of earlier days. */
  readonly archive: MinuteArchive
  /**
   * Advances the world to a time, then performs and logs a request. The request is durable only after `commit`, so
   * answer the caller after `commit`.
   */
  readonly submit: <Kind extends RequestKind>(
    kind: Kind,
    fields: FieldsOf<Kind>,
    atMs: number,
  ) => OutcomeOf<Kind>
  /**
   * Advances the world to a time, or to the event after which `isOver` is true. Returns whether the world reached the
   * time.
   */
  readonly advance: (toMs: number, isOver?: () => boolean) => boolean
  /** Writes the requests since the last commit in one transaction. */
  readonly commit: () => void
  /** Stores a snapshot, so that the next start has no requests to replay. Call it after `commit`. */
  readonly save: () => void
  /** Stores a snapshot if many events have passed. An error of the store is reported, and the next call tries again. */
  readonly saveWhenDue: () => void
}

export type EngineOptions = {
  readonly initialState: InitialState
  readonly entities: EntityStore
  /** Present if `entities` collects writes. Writes to `direct` reach the same store at once. */
  readonly direct?: EntityStore
  readonly journals: readonly EngineJournal[]
  readonly savedEvery?: SavingInterval
  /** Receives errors of storing a snapshot. */
  readonly failed: (error: unknown) => void
}

type Stored = { readonly world: Snapshot; readonly kept: Readonly<Record<string, unknown>> }

type Entry<Kind extends RequestKind = RequestKind> = {
  readonly kind: Kind
  readonly atMs: number
  readonly fields: FieldsOf<Kind>
}

/** Opens the stored world and replays it to its last request. An empty store gives a new world. */
export function openEngine(parts: EngineOptions): Engine {
  const { initialState, entities, direct = entities, journals } = parts
  const log = openLog(entities, direct, mayHaveFlow(initialState))
  const archive = createMinuteArchive(entities)
  const world = openWorld(initialState, journals, log.snapshot)
  const saving = createSaving({ ...parts, world, journals, log })

  function run<Kind extends RequestKind>({ kind, atMs, fields }: Entry<Kind>): OutcomeOf<Kind> {
    advance(world, atMs)
    const outcome = perform(world, kind, fields, atMs)
    settleWorld(world, atMs)
    saving.count()
    return outcome
  }

  for (const json of log.since) run(JSON.parse(json) as Entry)
  return {
    world,
    archive,
    submit: (kind, fields, atMs) => {
      const entry = { kind, atMs: Math.max(atMs, world.nowMs), fields }
      const outcome = run(entry)
      log.append(JSON.stringify(entry))
      return outcome
    },
    advance: (toMs, isOver) => advance(world, toMs, isOver),
    commit: () => {
      archive.put(world)
      for (const { leave } of journals) {
        const left = leave?.() ?? []
        if (left.length > 0) entities.commit(left)
      }
      log.commit()
    },
    save: saving.now,
    saveWhenDue: saving.whenDue,
  }
}

function openWorld(
  initialState: InitialState,
  journals: readonly EngineJournal[],
  snapshot: unknown,
): EngineWorld {
  // Only the engine writes snapshots, and `restoreWorld` refuses other versions, so the type is certain.
  const stored = snapshot as Stored | null
  const { prices, listed, tape = null } = initialState
  const listings = listed ? new Map(listed.map((each) => [each.symbol, each])) : MARKETS
  const world = stored
    ? restoreWorld(stored.world, { prices, tape, listings })
    : createWorld(initialState)
  if (stored) observeMatches(world)
  for (const { observer, begin, load, name } of journals) {
    begin?.(world)
    world.exchange.observers.push(observer)
    if (stored) load(stored.kept[name])
  }
  return world
}

/** Performs a request. The type of `submit` guarantees that its fields belong to its kind. */
function perform<Kind extends RequestKind>(
  world: EngineWorld,
  kind: Kind,
  fields: FieldsOf<Kind>,
  atMs: number,
): OutcomeOf<Kind> {
  const row = REQUESTS[kind] as (
    world: EngineWorld,
    fields: FieldsOf<Kind>,
    atMs: number,
  ) => OutcomeOf<Kind>
  return row(world, fields, atMs)
}

/** Decides when to store snapshots. */
type Saving = {
  /** Counts a request. */
  readonly count: () => void
  /** Stores a snapshot if it is due. An error of the store is reported, and the next call tries again. */
  readonly whenDue: () => void
  /** Stores a snapshot. If it throws the store's error, nothing has changed. */
  readonly now: () => void
}

type SavingOptions = {
  readonly savedEvery?: SavingInterval
  readonly world: EngineWorld
  readonly journals: readonly EngineJournal[]
  readonly log: RequestLog
  /** Receives errors of the store. The next attempt starts from the beginning. */
  readonly failed: (error: unknown) => void
}

/** Number of events or requests after which a snapshot is due. */
type SavingInterval = { readonly events: number; readonly requests: number }

/** Replaying this much takes about a second. */
const SAVED_EVERY: SavingInterval = { events: 250_000, requests: 50_000 }

function createSaving(parts: SavingOptions): Saving {
  const { world, journals, log, failed, savedEvery = SAVED_EVERY } = parts
  let requests = 0
  let savedEvents = world.counts.events

  function isDue(): boolean {
    const events = world.counts.events - savedEvents
    return requests >= savedEvery.requests || events >= savedEvery.events
  }

  function now(): void {
    log.replace(treeParts(toStoredState(world, journals)))
    requests = 0
    savedEvents = world.counts.events
  }

  return {
    count: () => {
      requests += 1
    },
    whenDue: () => {
      if (!isDue()) return
      try {
        now()
      } catch (error) {
        failed(error)
      }
    },
    now,
  }
}

/** The stored form of a world and its journals. Rows are created only while they are written. */
function toStoredState(world: EngineWorld, journals: readonly EngineJournal[]) {
  const kept = Object.fromEntries(journals.map((journal) => [journal.name, journal.save()]))
  return { world: snapshotRows(world), kept }
}
