import type { Answer } from '../cache/answer.ts'
import { ROUTES } from '../spec/routes.ts'
import { catalogue } from './catalogue-table.ts'
import type { Deps } from './deps.ts'
import { publicReply, throughCache } from './market/shaped.ts'

/** `{version, operations, groups, errors}`: the machine-readable list clients are written against. */
export function catalogueAnswer(deps: Deps): Promise<Answer> {
  const load = async () => publicReply(deps, catalogue())
  return throughCache(deps, 'route:catalogue', ROUTES.catalogue.lifetime, load)
}
