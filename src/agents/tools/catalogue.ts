import { Type } from '@sinclair/typebox'
import { RELAY_PATHS } from '../../contract/allowlist.ts'
import { OPERATION_GROUPS } from '../../contract/operations.ts'
import { Failure } from '../../core/failure.ts'
import { type Row, rowsAt } from '../../core/json.ts'
import { suggest } from '../../core/settings/suggest.ts'
import { matchRelay } from '../../upstream/wire/allowlist.ts'
import { accountRead } from '../account-call.ts'
import { toolRefusal, withHints } from '../refusal.ts'
import { listAnswer, trimmedPayload } from '../results.ts'
import type { Tool, ToolContext } from '../tool.ts'
import { argumentSchema, choice, optional, rows, text, wholeNumber } from '../tool-arguments.ts'
import { accountTool, publicTool } from '../tool-kinds.ts'
import { cleanedPayload } from '../untrusted-text.ts'

const rowsWanted = optional(wholeNumber('Rows. Default: what fits.', { minimum: 1, maximum: 500 }))

const listOperations = publicTool({
  name: 'list_operations',
  title: 'List read operations',
  description:
    'Public reads that no other tool covers: funding history, open interest, price changes, announcements, staking, vaults, campaigns, rewards, volume. Run one with read_operation.',
  arguments: argumentSchema({
    search: optional(text('Words.')),
    group: optional(choice(OPERATION_GROUPS, 'One group only.')),
    limit: rows(100, 25),
  }),
  run: async (context, { search = '', group, limit }) => {
    const all = await operations(context)
    const mine = all.filter((row) => group === undefined || operationGroup(row) === group)
    const found = bestMatches(mine, wordsIn(search)).map(shown)
    return listAnswer(found, {
      rows: 'operations',
      rowsMax: limit,
      more: 'Pass search or group, or a larger limit.',
    })
  },
})

const readOperation = publicTool({
  name: 'read_operation',
  title: 'Run a read operation',
  description:
    'Run one public read, e.g. id "funding.history" with parameters {"symbol":"PERP_ETH_USDC"}. list_operations has the ids and what they need.',
  arguments: argumentSchema({
    id: text('From list_operations.'),
    parameters: optional(
      Type.Object(
        {
          symbol: Type.Optional(Type.String()),
          address: Type.Optional(Type.String()),
          page: Type.Optional(Type.String()),
          size: Type.Optional(Type.String()),
        },
        { description: 'By name, as strings.', additionalProperties: Type.String() },
      ),
    ),
    limit: rowsWanted,
  }),
  untrusted: true,
  run: async (context, { id, parameters, limit }) => {
    const all = await operations(context)
    const operation = all.find((row) => row['id'] === id)
    if (!operation) throw unknownOperation(id, all)
    const query = Object.entries(parameters ?? {}).map(([name, value]) => [name, String(value)])
    const payload = await withHints(hintsFor(operation), () => {
      return context.client.get(`/api/prep/op/${id}`, Object.fromEntries(query))
    })
    // Chart rows are oldest first, so the last rows are kept.
    const keep = operationGroup(operation) === 'charts' ? 'last' : 'first'
    const { value, cut } = trimmedPayload(cleanedPayload(payload), limit, keep)
    const more = 'Pass page and size, or limit.'
    return {
      id,
      result: value,
      ...(cut && { truncated: true, more }),
    }
  },
})

/** Tools for the catalogued operations. */
export const CATALOGUE_TOOLS: readonly Tool[] = [listOperations, readOperation]

async function operations({ client }: ToolContext): Promise<readonly Row[]> {
  return rowsAt(await client.get('/api/prep/catalogue'), 'operations')
}

function shown(row: Row) {
  const parameters = rowsAt(row, 'parameters')
  const named = (required: boolean) =>
    parameters.filter((parameter) => parameter['required'] === required).map(({ name }) => name)
  return { id: row['id'], summary: row['summary'], required: named(true), optional: named(false) }
}

function operationGroup(row: Row): string {
  return String(row['id']).split('.')[0] ?? ''
}

function wordsIn(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
}

/** The rows that match the most words; empty if no row matches any word. */
function bestMatches(found: readonly Row[], words: readonly string[]): readonly Row[] {
  const scored = found.map((row) => {
    const spoken = `${row['id']} ${row['summary']}`.toLowerCase()
    return { row, score: words.filter((word) => spoken.includes(word)).length }
  })
  const most = Math.max(0, ...scored.map(({ score }) => score))
  if (words.length > 0 && most === 0) return []
  return scored.filter(({ score }) => score === most).map(({ row }) => row)
}

function unknownOperation(id: string, all: readonly Row[]) {
  const ids = all.map((row) => String(row['id']))
  const near = suggest(id, ids) ?? bestMatches(all, wordsIn(id)).map((row) => String(row['id']))[0]
  return toolRefusal('not_found', {
    parameter: 'id',
    reason: 'unknown_operation',
    ...(near !== undefined && { suggestion: near }),
    next: 'Find the id with list_operations.',
  })
}

function hintsFor(row: Row) {
  const { required } = shown(row)
  return { invalid_request: `parameters needs: ${required.join(', ') || 'nothing'}.` }
}

/** Paths of nonces for moving a balance, which agents may not read. */
const WITHHELD_PATHS: ReadonlySet<string> = new Set(['/v1/withdraw_nonce', '/v1/settle_nonce'])

const READABLE = RELAY_PATHS.flatMap(({ path, methods }) => {
  return methods.includes('GET') && !WITHHELD_PATHS.has(path) ? [path] : []
})

export const readAccountPath = accountTool({
  name: 'read_account_path',
  title: 'Read an account path',
  description:
    'Signed GET of a private path that no other tool covers, e.g. "/v1/client/key_info".',
  arguments: argumentSchema({ path: text('Starts with /v1/, with its query.'), limit: rowsWanted }),
  untrusted: true,
  run: async (context, { path, limit }) => {
    assertReadable(path)
    const { value, cut } = trimmedPayload(cleanedPayload(await accountRead(context, path)), limit)
    const more = 'Pass limit, or page and size in the query.'
    return { path, result: value, ...(cut && { truncated: true, more }) }
  },
})

/** Throws forbidden, naming the readable paths, before the call is signed. */
function assertReadable(path: string): void {
  if (isReadable(path)) return
  const near = suggest(path.split('?')[0] ?? '', READABLE)
  throw toolRefusal('forbidden', {
    parameter: 'path',
    reason: 'not_relayed',
    ...(near !== undefined && { suggestion: near }),
    allowed: READABLE,
    next: 'Only these paths can be read. For writes there are tools of their own.',
  })
}

function isReadable(path: string): boolean {
  try {
    return !WITHHELD_PATHS.has(matchRelay('GET', path).template)
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}
