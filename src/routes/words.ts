import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { fresh } from '../cache/answer.ts'
import type { Cache } from '../cache/cache.ts'
import { Failure } from '../core/failure.ts'
import type { Log } from '../core/ports.ts'
import type { Scrub } from '../scrub/scrub.ts'
import { WORD_NAMES, type WordName, wordPath } from '../spec/venue/words.ts'
import { readBody } from './http/body.ts'
import { methodNotAllowed, toResponse } from './http/responses.ts'
import { assertAdmitted, type OperatorEntrance } from './operator-entrance.ts'
import { RAW } from './verbs.ts'

export type WordParts = OperatorEntrance & {
  readonly deps: { readonly scrub: Scrub; readonly cache: Pick<Cache, 'purge'> }
  readonly log: Log
  /** Tells the embedded venue a word; null on a live one, and null for one that there is not. */
  readonly tellVenue:
    | ((name: string, texts: Readonly<Record<string, string>>) => Promise<object | null>)
    | null
}

/** The paths of this family, which are reached by no other spelling. */
export const WORD_PATHS: readonly string[] = WORD_NAMES.map(wordPath)

/** A word's parameters by name; a number or a boolean is its text. */
const WordBody = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
)

/** What was kept of a venue is not true of another. */
const ANOTHER_VENUE: ReadonlySet<WordName> = new Set(['restore', 'reset'])

/** The words that an operator tells the embedded venue. Without an operator key there is nothing here. */
export const words = (parts: WordParts) => {
  const plugin = new Elysia({ name: 'routes.words' })
  const { operatorKey } = parts
  if (operatorKey === null) return plugin
  for (const name of WORD_NAMES) {
    plugin
      .post(
        wordPath(name),
        ({ request }) => {
          assertAdmitted(parts, request, operatorKey)
          return told(parts, name, request)
        },
        RAW,
      )
      .all(wordPath(name), () => {
        throw methodNotAllowed('POST')
      })
  }
  return plugin
}

async function told(
  { deps, log, tellVenue }: WordParts,
  name: WordName,
  request: Request,
): Promise<Response> {
  const body = await readBody(request, WordBody)
  const texts = Object.entries(body).map(([parameter, value]) => [parameter, String(value)])
  const said = await tellVenue?.(name, Object.fromEntries(texts))
  if (!said) throw new Failure('not_found')
  if (ANOTHER_VENUE.has(name)) await deps.cache.purge()
  log.info('operator_told', { word: name })
  const reply = deps.scrub.value(said, { audience: 'private' })
  return toResponse(fresh(reply), request.headers)
}
