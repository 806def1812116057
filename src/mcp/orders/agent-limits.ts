import { SETTING_KINDS } from '../../settings/kinds.ts'
import type { AgentSettings } from '../../settings/settings.ts'
import type { HeaderReader } from '../protocol/eras.ts'
import { type OrderLimits, ToolFailure } from '../tool.ts'
import { HTTP_WORDING } from '../wording.ts'

/** The limits of a stdio server, as its environment sets them. */
export function limitsOf({ limits }: Pick<AgentSettings, 'limits'>): OrderLimits {
  const { maxOrderUsdc, maxDailyUsdc, allowedSymbols, readOnly } = limits
  return {
    ...(maxOrderUsdc !== null && { maxOrderUsdc }),
    ...(maxDailyUsdc !== null && { maxDailyUsdc }),
    ...(allowedSymbols !== null && { allowedSymbols }),
    readOnly,
  }
}

/**
 * The limits of one request, as its headers set them. Throws ToolFailure invalid_request for one that cannot be read
 * or cannot be kept: a limit somebody meant to set must never be passed over.
 */
export function limitsOfHeaders(headers: HeaderReader): OrderLimits {
  if (headers(DAILY_HEADER) !== null) {
    throw refusal(
      DAILY_HEADER,
      `nothing here; it needs a server of your own: ${HTTP_WORDING.maxDailyUsdc}`,
    )
  }
  const maxOrderUsdc = limit(headers, HTTP_WORDING.maxOrderUsdc, SETTING_KINDS.usdc)
  const allowedSymbols = limit(headers, HTTP_WORDING.allowedSymbols, SETTING_KINDS.symbols)
  return {
    ...(maxOrderUsdc !== undefined && { maxOrderUsdc }),
    ...(allowedSymbols !== undefined && { allowedSymbols }),
    readOnly: limit(headers, HTTP_WORDING.readOnly, SETTING_KINDS.boolean) ?? false,
  }
}

const DAILY_HEADER = 'x-max-daily-usdc'

type Kind<Value> = {
  readonly expects: string
  readonly parse: (text: string) => Value | undefined
}

function limit<Value>(
  headers: HeaderReader,
  name: string,
  { expects, parse }: Kind<Value>,
): Value | undefined {
  const text = headers(name)
  if (text === null) return undefined
  const value = parse(text)
  if (value === undefined) throw refusal(name, expects)
  return value
}

function refusal(name: string, expects: string): ToolFailure {
  return new ToolFailure({
    error: `The header ${name} must be ${expects}.`,
    code: 'invalid_request',
    meta: { parameter: name, next: 'Ask the user to correct the configuration of this client.' },
  })
}
