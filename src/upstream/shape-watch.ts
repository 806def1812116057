import type { VenueChange } from '../contract/console/figures.ts'
import { isOperationId, OPERATIONS } from '../contract/operations.ts'
import { NAMES } from '../contract/scrub-lists.ts'
import {
  OPERATION_SHAPES,
  RELAY_SHAPES,
  SHAPE_LIMITS,
  type Shape,
} from '../contract/venue/shapes.ts'
import { isObject, parsedJson } from '../core/json.ts'
import { nextTurn } from '../core/loop/guarded.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Clock, Log, UpstreamRequest, UpstreamResponse } from '../core/ports.ts'
import { type ShapeChange, shapeChanges } from './wire/shape.ts'

/** The known shape of an answer. `name`: the answer's name in metrics. */
type Known = {
  readonly name: string
  readonly shape: Shape
  readonly envelope: 'data' | 'bare' | 'data_and_meta'
}

/** Compares answers of the live venue with their known shapes. Answers are passed on before they are compared. */
export type ShapeWatch = {
  readonly answered: (request: UpstreamRequest, response: UpstreamResponse) => void
  /** The differences found since the start, oldest first. */
  readonly changes: () => readonly VenueChange[]
}

type ShapeWatchOptions = { readonly meter: Meter; readonly clock: Clock; readonly log: Log }

/**
 * Watches whether answers still have the shapes that this release knows. Counts each difference, and logs it when it
 * first occurs.
 */
export function createShapeWatch({ meter, clock, log }: ShapeWatchOptions): ShapeWatch {
  const find = createFinder()
  const lookedAtMs = new Map<string, number>()
  const changes = new Map<string, VenueChange & { count: number }>()
  let waiting = 0

  function note(operation: string, change: ShapeChange): void {
    meter.counter('prepd_venue_changes_total', operation).add()
    const field = printableField(change.field)
    const key = `${operation} ${change.kind} ${field}`
    const known = changes.get(key)
    if (known) known.count += 1
    else if (changes.size < SHAPE_LIMITS.changesMax) {
      const { kind, found } = change
      changes.set(key, { operation, kind, field, found, count: 1, sinceMs: clock.nowMs() })
      log.warn('venue_changed', { operation, kind, field, found })
    }
  }

  return {
    answered: ({ host, method, path }, { status, body }) => {
      if (waiting >= SHAPE_LIMITS.waitingMax || method !== 'GET' || status !== 200) return
      const known = find(host, path)
      if (!known || body.length > SHAPE_LIMITS.bodyMaxChars) return
      const nowMs = meter.elapsedMs()
      const lastMs = lookedAtMs.get(known.name) ?? Number.NEGATIVE_INFINITY
      if (nowMs - lastMs < SHAPE_LIMITS.sampleEveryMs) return
      lookedAtMs.set(known.name, nowMs)
      waiting += 1
      nextTurn('upstream', () => {
        waiting -= 1
        for (const change of changesIn(known, parsedJson(body))) note(known.name, change)
      })
    },
    changes: () => [...changes.values()],
  }
}

/** The differences between an answer's body and its shape; empty if the venue refused or the body has no data. */
export function changesIn(
  { shape, envelope }: Omit<Known, 'name'>,
  body: unknown,
): readonly ShapeChange[] {
  if (!isObject(body) || body['success'] === false || body['s'] === 'error') return []
  if (envelope === 'bare') return shapeChanges(shape, body)
  const data = body['data']
  if (data === null || data === undefined) return []
  if (envelope === 'data' || !isObject(data)) return shapeChanges(shape, data)
  return shapeChanges(shape, { ...data, meta: body['meta'] })
}

/** The names of answers in metrics: ids of operations and of relayed reads. */
export const WATCHED: readonly string[] = [
  ...Object.keys(OPERATION_SHAPES),
  ...Object.keys(RELAY_SHAPES).map(relayName),
]

/** The name of a relayed path in metrics: `/v1/order/{order_id}` becomes `relay.order.order_id`. */
function relayName(path: string): string {
  return path.replace('/v1/', 'relay.').replaceAll('/', '.').replaceAll(/[{}]/g, '')
}

/** Returns a function that finds the shape of a path. A path that ends in an id is found by the part before it. */
function createFinder() {
  const known = new Map<string, Known>()
  for (const [id, shape] of Object.entries(OPERATION_SHAPES)) {
    if (!isOperationId(id)) continue
    const { host, path, envelope } = OPERATIONS[id]
    known.set(`${host} ${path.replace(/\{\w+\}$/, '')}`, { name: id, shape, envelope })
  }
  for (const [path, shape] of Object.entries(RELAY_SHAPES)) {
    const key = `main ${path.replace(/\{\w+\}$/, '')}`
    known.set(key, { name: relayName(path), shape, envelope: 'data' })
  }
  return (host: string, path: string): Known | undefined => {
    const end = path.indexOf('?')
    const place = `${host} ${end < 0 ? path : path.slice(0, end)}`
    return known.get(place) ?? known.get(place.slice(0, place.lastIndexOf('/') + 1))
  }
}

const VENUE_NAME_SET: ReadonlySet<string> = new Set(NAMES)

/** A field path of the venue, for printing. Names that are not plain or that identify a venue are replaced. */
export function printableField(field: string): string {
  const plain = field.split('.').map((segment) => {
    const words = segment.match(/[A-Z]?[a-z0-9]+|[A-Z]+/g) ?? []
    const isNamed = words.some((word) => VENUE_NAME_SET.has(word.toLowerCase()))
    return isNamed || !/^[\w-]{1,64}(?:\[\])*$/.test(segment) ? '(withheld)' : segment
  })
  return plain.join('.').slice(0, SHAPE_LIMITS.fieldMaxChars)
}
