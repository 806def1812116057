import { ROUTES } from '../../contract/routes.ts'
import { Failure } from '../../core/failure.ts'
import { isObject, toFloat } from '../../core/json.ts'
import type { Answer } from '../cache/answer.ts'
import { answerFromCache, type MarketAccess, publicReply, readParsed } from './cached-answers.ts'
import { toVenueNumber, usableRows } from './typed-rows.ts'

/** `{leverageSteps}`: the leverages an account may choose, ascending. Throws Failure if the venue states no usable value. */
export function config(deps: MarketAccess): Promise<Answer> {
  return answerFromCache(deps, ROUTES.config, async () => {
    const payload = await readParsed(deps, '/v1/public/config')
    const list = isObject(payload) ? payload['available_futures_leverage'] : undefined
    const steps = usableRows(deps, 'config', stepsIn(list), leverageStep)
    if (steps.length === 0) throw new Failure('upstream_unavailable')
    return publicReply(deps, { leverageSteps: steps.toSorted((a, b) => a - b) })
  })
}

/** The steps of a list, or of a text such as `1,2,3,5`. */
function stepsIn(list: unknown): unknown {
  return typeof list === 'string' ? list.split(',').map((step) => step.trim()) : list
}

function leverageStep(step: unknown): number | null {
  const leverage = toFloat(toVenueNumber(step)) ?? 0
  return leverage > 0 ? leverage : null
}
