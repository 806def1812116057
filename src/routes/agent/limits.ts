import type { HeaderReader } from '../../mcp/protocol/eras.ts'
import type { OrderLimits } from '../../mcp/tool.ts'
import { HTTP_WORDING } from '../../mcp/wording.ts'
import { SETTING_KINDS } from '../../settings/kinds.ts'
import { headerValue, type Kind, malformedHeader } from './header-value.ts'

/**
 * The limits of one request, as its headers set them. Throws ToolFailure invalid_request for one that cannot be read
 * or cannot be kept: a limit somebody meant to set must never be passed over.
 */
export function limitsOfHeaders(headers: HeaderReader): OrderLimits {
  if (headers(DAILY_HEADER) !== null) {
    const expects = `nothing here; it needs a server of your own: ${HTTP_WORDING.maxDailyUsdc}`
    throw malformedHeader(DAILY_HEADER, expects, 'invalid_request')
  }
  const maxOrderUsdc = limit(headers, HTTP_WORDING.maxOrderUsdc, SETTING_KINDS.usdcOrOff)
  const allowedSymbols = limit(headers, HTTP_WORDING.allowedSymbols, SETTING_KINDS.symbolsOrOff)
  return {
    ...(typeof maxOrderUsdc === 'bigint' && { maxOrderUsdc }),
    ...(allowedSymbols && { allowedSymbols }),
    readOnly: limit(headers, HTTP_WORDING.readOnly, SETTING_KINDS.boolean) ?? false,
  }
}

const DAILY_HEADER = 'x-max-daily-usdc'

function limit<Value>(headers: HeaderReader, name: string, kind: Kind<Value>): Value | undefined {
  const text = headers(name)
  return text === null ? undefined : headerValue(name, text, kind, 'invalid_request')
}
