import type { Envelope } from '../../contract/envelope.ts'
import { type LimitsBody, TightenBody } from '../../contract/mandate.ts'
import type { Caller } from '../../core/client-address.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { lossText } from '../../core/loss.ts'
import {
  bodyLimits,
  combinedLimits,
  type Limits,
  limitsBody,
  type Mandate,
  type StoredMandate,
} from '../../core/mandate.ts'
import { parseBody } from '../../core/parse-body.ts'
import type { Store } from '../../core/ports.ts'
import { type Answer, privateAnswer } from '../cache/answer.ts'
import type { Mandates } from '../mandate/mandates.ts'
import type { RelayAccess } from '../relay/relay.ts'
import { admitSigner, claimAct, notRelayed } from '../relay/service-act.ts'

/** Access for requests about mandates. */
export type MandateAccess = Omit<RelayAccess, 'store'> & {
  readonly store: Pick<Store, 'proofs' | 'once'>
  readonly mandates: Mandates
}

/**
 * Shows the mandate of the account whose key signed the request (GET), or tightens or freezes the mandate (PUT). Throws
 * Failure:
 * - expired_signature, invalid_signature, unauthorized.
 * - duplicate_request for a change that was made before.
 * - invalid_request for a limit that allows more than the present limit.
 * - forbidden for any other method, and for a PUT without a mandate that a wallet has signed.
 */
export async function mandateAct(
  deps: MandateAccess,
  envelope: Envelope,
  caller: Caller,
): Promise<Answer> {
  const { method, body } = envelope
  if (method !== 'GET' && method !== 'PUT') throw notRelayed('GET or PUT')
  if (body && method === 'GET') throw invalidParameter('body', 'conflicting')
  const { accountId } = await admitSigner(deps, envelope, caller)
  if (method === 'PUT') await tighten(deps, envelope, accountId)
  return showMandate(deps, accountId)
}

/** Maximum number of attempts to change a mandate that concurrent calls also change. */
const TRIES_MAX = 5

async function tighten(deps: MandateAccess, envelope: Envelope, accountId: string): Promise<void> {
  const { limits = {}, frozen } = parseBody(TightenBody, envelope.body ?? '')
  const { mandates } = deps
  assertTighter(await requireMandate(mandates, accountId), limits)
  await claimAct(deps, envelope)
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const found = await requireMandate(mandates, accountId)
    const next = {
      limits: combinedLimits(found.limits, bodyLimits(limits)),
      frozenBy: frozen && found.frozenBy === 'none' ? 'key' : found.frozenBy,
      changedAtMs: deps.clock.nowMs(),
    } as const
    if (await mandates.tighten(found, next)) return
  }
  throw new Failure('not_available', { retryAfterSeconds: 1 })
}

/**
 * The account's mandate. Throws forbidden without a mandate: a wallet must sign the first mandate, because only a
 * wallet can loosen it again.
 */
async function requireMandate(mandates: Mandates, accountId: string): Promise<StoredMandate> {
  const found = await mandates.find(accountId)
  if (found) return found
  throw new Failure('forbidden', { reason: 'no_mandate', next: 'Have the wallet sign one first.' })
}

/** Throws invalid_request for the first limit that is looser than the present limit. */
function assertTighter({ limits: held }: StoredMandate, asked: LimitsBody): void {
  const wanted = bodyLimits(asked)
  const merged = combinedLimits(held, wanted)
  const looser = LIMIT_NAMES.find((name) => !isSame(merged[name], wanted[name]))
  if (looser === undefined) return
  throw invalidParameter(`limits.${looser}`, 'out_of_range', {
    expected: `No more than ${JSON.stringify(limitsBody(held)[looser])}; only the wallet loosens it.`,
  })
}

type Name = keyof Limits

const LIMIT_NAMES = Object.keys(TightenBody.properties.limits.properties) as Name[]

/** Whether the merged value of a limit equals the wanted value; true without a wanted value. */
function isSame(merged: Limits[Name], wanted: Limits[Name]): boolean {
  if (wanted === undefined) return true
  if (!Array.isArray(wanted)) return (merged ?? false) === wanted
  // The merged list is the intersection of the present and the wanted list. With the length of the wanted list, it is
  // that list.
  return Array.isArray(merged) && merged.length === wanted.length
}

async function showMandate(deps: MandateAccess, accountId: string): Promise<Answer> {
  const { mandates, gate } = deps
  const { limits, counter } = (await mandates.find(accountId)) ?? NONE
  const found = await mandates.of(accountId)
  const held: Mandate = found ?? { ...NONE, accountId }
  // The operator's limits apply only to relayed writes of accounts that have a mandate.
  const effective = found ? gate.effectiveLimits(found.limits) : {}
  const used = await gate.usedOf(accountId, effective)
  const isTighter = !LIMIT_NAMES.every((name) => isSame(limits[name], effective[name]))
  const own = {
    limits: limitsBody(limits),
    ...(isTighter && { effectiveLimits: limitsBody(effective) }),
    ...{ counter, frozenBy: held.frozenBy },
    ...(held.loss && { recordsLost: lossText(held.loss) }),
  }
  const shown = { ...own, ...used, ...gate.stillOpening(held) }
  return privateAnswer(deps, shown)
}

const NONE: Pick<Mandate, 'limits' | 'counter' | 'frozenBy'> = {
  limits: {},
  counter: 0,
  frozenBy: 'none',
}
