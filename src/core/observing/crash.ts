import type { LogFields } from '../ports.ts'

/** What a log may say of a bug: the name and the place, not the message, which may quote what a caller sent. */
export function crashFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error }
  return {
    error: error.name,
    at: error.stack
      ?.split('\n')
      .find((line) => /^\s+at /.test(line))
      ?.trim(),
  }
}
