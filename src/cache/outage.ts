import { Failure } from '../core/failure.ts'
import type { FailureCode } from '../spec/failures.ts'

/** Failures that say nothing about what was asked, only that nobody could be asked. */
const OUTAGES = ['upstream_unavailable', 'upstream_busy', 'upstream_timeout'] as const

type OutageCode = (typeof OUTAGES)[number] & FailureCode

export function isOutageCode(code: string): code is OutageCode {
  return OUTAGES.some((known) => known === code)
}

/** The code of an error that says only that the venue could not be asked; null for any other. */
export function outageCode(error: unknown): FailureCode | null {
  return error instanceof Failure && isOutageCode(error.code) ? error.code : null
}

export function isOutage(error: unknown): boolean {
  return outageCode(error) !== null
}
