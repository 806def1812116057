import { AGENT_LIMITS, type AgentLimitName } from '../../contract/agent-limits.ts'
import { AGENT_SETTINGS, type Setting } from '../../contract/settings.ts'
import type { Limits } from '../mandate.ts'
import type { KindValues } from './kinds.ts'
import { suggest } from './suggest.ts'
import { printable, UsageError } from './usage-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A given setting. */
type GivenSetting = {
  readonly name: string
  readonly text: string | null
  readonly origin: string
  readonly spelling: string
}

const AGENT_PREFIX = 'SERVICE_'
const OPERATOR_PREFIX = 'PREPD_AGENT_'

/**
 * Throws UsageError for a misspelt limit in mcp mode, which would otherwise be ignored: a typing mistake, lower case, a
 * wrong or missing prefix. Other variables with the prefix SERVICE_ are accepted, because other programs may use it.
 */
export function refuseMisspeltLimits(env: Environment): void {
  const names = Object.keys(AGENT_SETTINGS).map((name) => name.slice(AGENT_PREFIX.length))
  refuse(env, (variable) => {
    if (isKnown(variable)) return undefined
    const upper = variable.toUpperCase()
    const near = upper.startsWith(AGENT_PREFIX)
      ? suggest(upper.slice(AGENT_PREFIX.length), names)
      : undefined
    const meant = limitInVariable(variable) ?? near
    return meant === undefined ? undefined : AGENT_PREFIX + meant
  })
}

/** Throws UsageError for an operator's limit in lower case or without the prefix PREPD_, which would otherwise be ignored. */
export function refuseMisspeltOperatorLimits(env: Environment): void {
  refuse(env, (variable) => {
    if (variable.startsWith('PREPD_') || !OPERATOR_LIMIT.test(variable)) return undefined
    const meant = limitInVariable(variable)
    return meant === undefined ? undefined : OPERATOR_PREFIX + meant
  })
}

const OPERATOR_LIMIT = /^(?:PREPD_)?AGENT_/i

/** Throws UsageError for operator limits if the service is remote, because only the remote operator can limit its agents. */
export function refuseOperatorLimits(entries: readonly GivenSetting[]): void {
  const lines = entries.flatMap(({ name, spelling, origin, text }) =>
    name.startsWith('AGENT_') && origin !== 'default' && text !== 'off'
      ? [`${spelling} ${REMOTE_LIMIT_REFUSAL} ${AGENT_PREFIX}${name.slice('AGENT_'.length)}`]
      : [],
  )
  if (lines.length > 0) throw new UsageError(...lines)
}

const REMOTE_LIMIT_REFUSAL =
  'does not hold beside SERVICE_API_URL, because the operator of that service limits its agents: limit this agent with'

/** Whether a variable is known; a secret also has a `_FILE` variable. */
function isKnown(variable: string): boolean {
  if (variable.startsWith('PREPD_')) return true
  return Object.entries<Setting>(AGENT_SETTINGS).some(
    ([name, { secret }]) => variable === name || (secret === true && variable === `${name}_FILE`),
  )
}

/** The limit that a variable names, in any case, with any prefix or without one. A limit has no `_FILE` variable. */
function limitInVariable(variable: string): string | undefined {
  const name = variable.toUpperCase().replaceAll(/[-.]/g, '_').replace(LIMIT_AFFIXES, '')
  return Object.hasOwn(AGENT_LIMITS, name) ? name : undefined
}

const LIMIT_AFFIXES = /^(?:X_|SERVICE_|PREPD_|AGENT_)+|_FILE$/g

function refuse(env: Environment, meantBy: (variable: string) => string | undefined): void {
  const lines = Object.keys(env).flatMap((variable) => {
    const meant = meantBy(variable)
    return meant === undefined
      ? []
      : [`${printable(variable)} is not a setting; did you mean ${meant}?`]
  })
  if (lines.length > 0) throw new UsageError(...lines.sort())
}

type Read = <Name extends AgentLimitName>(
  name: Name,
) => KindValues[(typeof AGENT_LIMITS)[Name]['kind']] | undefined

/**
 * An agent's limits. `read` returns a limit's parsed value by its name in the settings table. A limit that is off is
 * absent.
 */
export function agentLimits(read: Read): Limits {
  const given = {
    maxOrderUsdc: read('MAX_ORDER_USDC'),
    maxDailyUsdc: read('MAX_DAILY_USDC'),
    maxPositionUsdc: read('MAX_POSITION_USDC'),
    maxLossUsdc: read('MAX_LOSS_USDC'),
    approveAboveUsdc: read('APPROVE_ABOVE_USDC'),
    approveAboveDailyUsdc: read('APPROVE_ABOVE_DAILY_USDC'),
    maxLeverage: read('MAX_LEVERAGE'),
    maxOrdersPerMinute: read('MAX_ORDERS_PER_MINUTE'),
    symbols: read('ALLOWED_SYMBOLS'),
    reduceOnly: read('REDUCE_ONLY'),
    readOnly: read('READ_ONLY'),
    onceByClientOrderId: read('ONCE_BY_CLIENT_ORDER_ID'),
    approveChanges: read('APPROVE_CHANGES'),
    expiresAtMs: read('EXPIRES_AT'),
  } satisfies { readonly [Name in keyof Limits]: Limits[Name] | null }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => (value ?? false) !== false))
}
