import type { Answer } from '../cache/answer.ts'
import { ROUTES } from '../spec/routes.ts'
import { catalogue } from './catalogue-table.ts'
import type { MarketDeps } from './market/deps.ts'
import { publicReply, throughCache } from './market/shaped.ts'

/** `{version, operations, groups, errors}`: the machine-readable list clients are written against. */
export function catalogueAnswer(deps: Pick<MarketDeps, 'cache' | 'scrub'>): Promise<Answer> {
  return throughCache(deps, ROUTES.catalogue, async () => publicReply(deps, catalogue()))
}
