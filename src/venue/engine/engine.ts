import type { EntityStore } from '../../core/ports.ts'
import { type IsOver, NEVER_OVER, type Steps } from '../base/steps.ts'
import type { Journal } from '../history/journal.ts'
import { createMinuteArchive, type MinuteArchive } from '../history/minute-archive.ts'
import type { World } from '../state/world.ts'
import { openLog } from './persist/log.ts'
import { restoreSteps } from './persist/restore.ts'
import { createSaving, type SavingInterval } from './persist/saving.ts'
import type { Snapshot } from './persist/snapshot.ts'
import { type FieldsOf, type OutcomeOf, REQUESTS, type RequestKind } from './requests.ts'
import { advance, type InitialState, observe, settle, worldSteps } from './run.ts'

/** A world that outlives its process. */
export type Engine = {
  readonly world: World
  /** The minutes of days that are over. */
  readonly archive: MinuteArchive
  /**
   * Lets the world go on to a time, then does what is asked, and notes it. What was asked is durable once `commit` has
   * returned: answer after that.
   */
  readonly submit: <Kind extends RequestKind>(
    kind: Kind,
    fields: FieldsOf<Kind>,
    atMs: number,
  ) => OutcomeOf<Kind>
  /** Lets the world go on to a time. */
  readonly advance: (toMs: number) => void
  /** The same until it is enough for now; answers whether the world is there. */
  readonly step: (toMs: number, isOver: IsOver) => boolean
  /** Writes what was asked since the last commit in one transaction. */
  readonly commit: () => void
  /** Stores the world as it stands in one transaction, so that the next start has nothing to run again. */
  readonly save: () => void
  /**
   * Begins to store the world where much has happened since the last time; `step` goes on with it first. For when all
   * that was asked is in the store.
   */
  readonly saveWhenDue: () => void
  /** Whether that is under way. */
  readonly isSaving: () => boolean
}

export type EngineParts = {
  readonly initialState: InitialState
  readonly entities: EntityStore
  /** The same store where what is committed is written at once; left out, `entities` is such a one. */
  readonly direct?: EntityStore
  readonly journals?: readonly Journal[]
  /** Whether what was asked since the snapshot is run again step by step, rather than at once. */
  readonly isPatient?: boolean
  readonly savedEvery?: SavingInterval
  /** Receives the error of a failed step of storing the world. */
  readonly failed?: (error: unknown) => void
}

type Stored = { readonly world: Snapshot; readonly kept: Readonly<Record<string, unknown>> }

type Entry<Kind extends RequestKind = RequestKind> = {
  readonly kind: Kind
  readonly atMs: number
  readonly fields: FieldsOf<Kind>
}

/** Opens the world that the store remembers, run up to its last request; a new one when it remembers none. */
export function* engineSteps(parts: EngineParts): Steps<Engine> {
  const { initialState, entities, direct = entities, journals = [], isPatient = false } = parts
  const log = yield* openLog(entities, direct)
  const archive = createMinuteArchive(entities)
  const world = yield* openWorld(initialState, journals, log.snapshot)
  const saving = createSaving({ ...parts, world, journals, log })

  function run<Kind extends RequestKind>({ kind, atMs, fields }: Entry<Kind>): OutcomeOf<Kind> {
    advance(world, atMs)
    const outcome = perform(world, kind, fields, atMs)
    settle(world, atMs)
    saving.count()
    return outcome
  }

  const catchUp = createReplay(world, log.since, run)

  /** Lets nothing happen in a world that is being stored, or that is not yet where it was. */
  function settleDown(): void {
    saving.finish()
    catchUp(NEVER_OVER)
  }

  function save(): void {
    catchUp(NEVER_OVER)
    archive.put(world)
    saving.atOnce()
  }

  if (!isPatient) catchUp(NEVER_OVER)
  return {
    world,
    archive,
    submit: (kind, fields, atMs) => {
      settleDown()
      const entry = { kind, atMs: Math.max(atMs, world.nowMs), fields }
      const outcome = run(entry)
      log.append(JSON.stringify(entry))
      return outcome
    },
    advance: (toMs) => {
      settleDown()
      advance(world, toMs)
    },
    step: (toMs, isOver) => saving.goOn(isOver) && catchUp(isOver) && advance(world, toMs, isOver),
    commit: () => {
      archive.put(world)
      log.commit()
    },
    save,
    saveWhenDue: () => void (saving.isDue() && catchUp(ALWAYS_OVER) && saving.begin()),
    isSaving: saving.isUnderWay,
  }
}

/** Runs again what was asked since the snapshot, until it is enough for now; answers whether all of it has been. */
function createReplay(world: World, entries: Iterable<string>, run: (entry: Entry) => unknown) {
  const left = Array.from(entries).reverse()
  return (isOver: IsOver): boolean => {
    for (let json = left.at(-1); json !== undefined; json = left.at(-1)) {
      if (isOver()) return false
      const entry = JSON.parse(json) as Entry
      if (!advance(world, entry.atMs, isOver)) return false
      run(entry)
      left.pop()
    }
    return true
  }
}

const ALWAYS_OVER: IsOver = () => true

function* openWorld(
  initialState: InitialState,
  journals: readonly Journal[],
  snapshot: unknown,
): Steps<World> {
  // Only an engine has written it; `restoreSteps` refuses another version.
  const stored = snapshot as Stored | null
  const listings =
    initialState.listed && new Map(initialState.listed.map((each) => [each.symbol, each]))
  const world = stored
    ? yield* restoreSteps(stored.world, initialState.prices, listings)
    : yield* worldSteps(initialState)
  if (stored) observe(world)
  for (const { observer, begin, load, name } of journals) {
    begin?.(world)
    world.exchange.observers.push(observer)
    if (stored) load(stored.kept[name])
    yield
  }
  return world
}

/** The table's rows take different fields: which belong together is what the type of `submit` says. */
function perform<Kind extends RequestKind>(
  world: World,
  kind: Kind,
  fields: FieldsOf<Kind>,
  atMs: number,
): OutcomeOf<Kind> {
  const row = REQUESTS[kind] as (
    world: World,
    fields: FieldsOf<Kind>,
    atMs: number,
  ) => OutcomeOf<Kind>
  return row(world, fields, atMs)
}
