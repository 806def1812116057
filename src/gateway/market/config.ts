import type { Answer } from '../../cache/answer.ts'
import { isObject } from '../../core/json.ts'
import { ROUTES } from '../../spec/routes.ts'
import { leverageSteps } from './rows.ts'
import { type MarketDeps, publicReply, readParsed, throughCache } from './shaped.ts'

/** `{leverageSteps}`: the leverages an account may choose, ascending as the venue lists them. */
export function config(deps: MarketDeps): Promise<Answer> {
  return throughCache(deps, ROUTES.config, async () => {
    const payload = await readParsed(deps, '/v1/public/config')
    const list = isObject(payload) ? payload['available_futures_leverage'] : undefined
    return publicReply(deps, { leverageSteps: leverageSteps(list) })
  })
}
