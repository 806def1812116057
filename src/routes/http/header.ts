import { invalid } from '../../core/failure.ts'
import { HEADER_MAX_CHARS, HEADER_OTHER_MAX_CHARS } from '../../spec/limits.ts'

const MAX_CHARS: Readonly<Record<string, number>> = HEADER_MAX_CHARS

/** A request header by its lower-case name, null when it is absent. Throws invalid_request when it is too long. */
export function headerOf(headers: Pick<Headers, 'get'>, name: string): string | null {
  const value = headers.get(name)
  if (value !== null && value.length > (MAX_CHARS[name] ?? HEADER_OTHER_MAX_CHARS)) {
    throw invalid(name, 'too_long')
  }
  return value
}
