import type { KindValues } from './kinds.ts'
import type { Texts } from './values.ts'
import { need } from './values.ts'

export type LogSettings = {
  readonly level: KindValues['logLevel']
  readonly requestsPerSecond: number
  /** Whether an access line has the caller's whole address, and not its network alone. */
  readonly wholeCallers: boolean
}

/** The settings of the log, from the texts of all settings. */
export function logOf(texts: Texts): LogSettings {
  return {
    level: need(texts, 'LOG'),
    requestsPerSecond: need(texts, 'LOG_REQUESTS'),
    wholeCallers: need(texts, 'LOG_CALLERS'),
  }
}
