import { isOperationId, OPERATIONS, type OperationId } from '../../contract/operations.ts'
import { PLACEHOLDER_VALUES, parameterExample } from '../../contract/reference/examples.ts'
import { type ChangeKind, OPERATION_SHAPES, SHAPES_DATE } from '../../contract/venue/shapes.ts'
import { BUILD_FACTS } from '../../core/build-facts.ts'
import { type Finding, ok, warn } from '../../core/finding.ts'
import { isObject } from '../../core/json.ts'
import { changesIn, printableField } from '../../upstream/shape-watch.ts'
import { operationCall } from '../../upstream/wire/operation-path.ts'
import type { ShapeChange } from '../../upstream/wire/shape.ts'
import type { Check, CheckEnvironment, Findings } from './check.ts'
import { VENUE_CHECK } from './network.ts'
import { type CheckedUpstream, requestUpstream } from './upstream-request.ts'

/** The checks of `doctor venue`. */
export const VENUE_CHECKS: readonly Check[] = [
  VENUE_CHECK,
  { id: 'venue_answers', network: true, run: venueAnswers },
]

/** Parameter values by parameter name. */
type Values = Readonly<Record<string, string>>

/** Operations that return lists. The first row gives parameters of other operations: parameter name, then row field. */
const SOURCES: Readonly<Record<string, Values>> = {
  'campaigns.list': { campaign_id: 'id' },
  'rewards.stages': { stage: 'stage_id' },
  'vault.info': { vault_id: 'vault_id' },
}

const STATUS_PATH = OPERATIONS['platform.status'].path
const VALUE_MAX_CHARS = 100

/** Calls all operations that need no key, one after the other, and compares the answers with their known shapes. */
async function venueAnswers(deps: CheckEnvironment): Promise<Findings> {
  if (deps.settings.venue.at === 'embedded')
    return ok('an embedded venue answers as this release does')
  // Without an answer there is nothing to compare, and VENUE_CHECK has already reported the reason.
  if ((await requestUpstream(deps.world, upstreamAt(deps.settings.venue.at), STATUS_PATH)).problem)
    return []
  const known = Object.keys(OPERATION_SHAPES).filter(isOperationId).filter(needsNoKey)
  const sources = known.filter((id) => Object.hasOwn(SOURCES, id))
  const findings: Finding[] = []
  const unread: OperationId[] = []
  let values: Values = {}
  for (const id of [...sources, ...known.filter((other) => !sources.includes(other))]) {
    const body = await read(deps, id, values)
    if (body === null) unread.push(id)
    else findings.push(...differences(id, body))
    values = { ...values, ...valuesIn(id, body) }
  }
  return [...findings, ...summary(known.length, unread)]
}

function needsNoKey(id: OperationId): boolean {
  return OPERATIONS[id].answers === undefined
}

/** The body of an operation's answer; null without a usable answer. Only required parameters are sent. */
async function read({ settings, world }: CheckEnvironment, id: OperationId, values: Values) {
  const { host, parameters } = OPERATIONS[id]
  const given = parameters
    .filter(({ required }) => required)
    .map(
      ({ name }) =>
        [name, [values[name] ?? String(parameterExample(id, name, PLACEHOLDER_VALUES))]] as const,
    )
  const { path } = operationCall(id, new Map(given), settings.brokerId)
  const url = host === 'main' ? settings.venue.at : settings.venue.vaults
  if (url === 'embedded') return null
  const answer = await requestUpstream(world, upstreamAt(url), path)
  if (answer.problem || !isObject(answer.body)) return null
  return answer.body['success'] === false ? null : answer.body
}

function upstreamAt(url: URL): CheckedUpstream {
  return { name: 'the venue', setting: 'PREPD_VENUE', url }
}

function valuesIn(id: OperationId, body: Readonly<Record<string, unknown>> | null): Values {
  const data = isObject(body?.['data']) ? body['data'] : {}
  const row: unknown = Array.isArray(data['rows']) ? data['rows'][0] : undefined
  if (!isObject(row)) return {}
  const pairs = Object.entries(SOURCES[id] ?? {}).map(
    ([name, field]) => [name, String(row[field] ?? '').slice(0, VALUE_MAX_CHARS)] as const,
  )
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''))
}

const WORDING: Readonly<Record<ChangeKind, (field: string, found: string) => string>> = {
  unknown_field: (field, found) => `${field} is new (${found})`,
  missing_field: (field) => `${field} is gone`,
  other_type: (field, found) => `${field} is of another type (${found})`,
  other_value: (field) => `${field} has another value`,
}

/** One finding that lists all differences of an operation's answer; empty for an answer without differences. */
function differences(id: OperationId, body: unknown): Finding[] {
  const shape = OPERATION_SHAPES[id] ?? 'any'
  const { envelope } = OPERATIONS[id]
  const changes = changesIn({ shape, envelope }, body).map(({ kind, field, found }: ShapeChange) =>
    WORDING[kind](printableField(field), found),
  )
  if (changes.length === 0) return []
  return [warn(`${id}: ${changes.join(', ')}`, REMEDY)]
}

const REMEDY = `Answers are passed on as they are. prepd ${BUILD_FACTS.version} knows those of ${SHAPES_DATE}: look for a newer release.`

function summary(count: number, unread: readonly OperationId[]): Finding[] {
  const read = ok(`${count - unread.length} of ${count} operations were read, as of ${SHAPES_DATE}`)
  if (unread.length === 0) return [read]
  return [read, ok(`refused without an account that exists: ${unread.join(', ')}`)]
}
