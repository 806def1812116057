import type { EntityStore } from '../../core/ports.ts'
import type { EngineJournal } from '../history/journal.ts'
import { createMinuteArchive, type MinuteArchive } from '../history/minute-archive.ts'
import { MARKETS } from '../listing/instruments.ts'
import { hasDue } from '../state/queue.ts'
import type { EngineWorld } from '../state/world.ts'
import { openLog } from './persist/log.ts'
import { restoreWorld, type StoredWorld, storedSnapshot } from './persist/restore.ts'
import { createSaving, type SavingOptions } from './persist/saving.ts'
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
   * time. While a snapshot is being stored, each call also takes one step of that.
   */
  readonly advance: (toMs: number, isOver?: () => boolean) => boolean
  /** Writes the requests since the last commit in one transaction. */
  readonly commit: () => void
  /** Stores a snapshot, so that the next start has no requests to replay. Call it after `commit`. */
  readonly save: () => void
  /**
   * Begins to store a snapshot if many events have passed, or takes the next step of that. An error of the store is
   * reported, and the next call begins again. Call it after `commit`.
   */
  readonly saveWhenDue: () => void
}

export type EngineOptions = Pick<SavingOptions, 'savedEvery' | 'failed'> & {
  readonly initialState: InitialState
  readonly entities: EntityStore
  /** Present if `entities` collects writes. Writes to `direct` reach the same store at once. */
  readonly direct?: EntityStore
  readonly journals: readonly EngineJournal[]
}

type Stored = StoredWorld & { readonly kept: Readonly<Record<string, unknown>> }

type Entry<Kind extends RequestKind = RequestKind> = {
  readonly kind: Kind
  readonly atMs: number
  readonly fields: FieldsOf<Kind>
}

/** Opens the stored world and replays it to its last request. An empty store gives a new world. */
export function openEngine(parts: EngineOptions): Engine {
  const { initialState, entities, direct = entities, journals } = parts
  const log = openLog(entities, direct, mayHaveFlow(initialState))
  const world = openWorld(initialState, journals, log.snapshot)
  const archive = createMinuteArchive(entities, world)
  let isArchived = true
  const saving = createSaving({ ...parts, world, journals, log })

  function run<Kind extends RequestKind>({ kind, atMs, fields }: Entry<Kind>): OutcomeOf<Kind> {
    saving.copied()
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
    advance: (toMs, isOver) => {
      if (hasDue(world.queue, toMs) && !saving.copied(isOver)) return false
      const isThere = advance(world, toMs, isOver)
      saving.goOn()
      return isThere
    },
    commit: () => {
      isArchived = archive.put()
      for (const { leave } of journals) {
        const left = leave?.() ?? []
        if (left.length > 0) entities.commit(left)
      }
      log.commit()
    },
    save: () => {
      // A snapshot does not contain the days that are to be archived.
      archive.putAll(direct)
      saving.now()
    },
    saveWhenDue: () => {
      if (isArchived) saving.whenDue()
      else saving.goOn()
    },
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
    ? restoreWorld(storedSnapshot(stored), { prices, tape, listings })
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
