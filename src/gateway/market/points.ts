import { type Answer, fresh } from '../../cache/answer.ts'
import { Failure } from '../../core/failure.ts'
import { isAddress } from '../../core/hex.ts'
import { lenient, type Query } from '../../core/query.ts'
import type { Operator } from '../operator.ts'
import type { MarketDeps } from './deps.ts'
import { publicReply, readParsed } from './shaped.ts'

/** What the rewards use: whether they are on, and nothing that is kept. */
export type PointsDeps = Pick<MarketDeps, 'upstream' | 'scrub'> & {
  readonly operator: Pick<Operator, 'points'>
}

const OFF = { enabled: false, merits: null, epochs: null } as const

/**
 * `{enabled, merits, epochs}` of one wallet; nulls while the rewards module is off, and where the venue has nothing.
 * Throws Failure: invalid_address, or the venue's, so that a timeout never looks like "no points".
 */
export async function points(deps: PointsDeps, query: Query): Promise<Answer> {
  const address = lenient(query, 'address') ?? ''
  if (!isAddress(address))
    throw new Failure('invalid_address', { parameter: 'address', reason: 'malformed' })
  if (!deps.operator.points) return fresh(publicReply(deps, OFF))
  const [merits, epochs] = await Promise.all([
    readIfAny(deps, `/v1/client/points?address=${address}`),
    readIfAny(deps, '/v1/public/points/epoch_dates'),
  ])
  return fresh(publicReply(deps, { enabled: true, merits, epochs }))
}

/** What the venue has at a path; null when it has nothing. */
async function readIfAny(deps: Pick<PointsDeps, 'upstream'>, path: string): Promise<unknown> {
  try {
    return await readParsed(deps, path)
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}
