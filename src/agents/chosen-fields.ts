import { suggest } from '../core/settings/suggest.ts'
import { invalidArgument } from './refusal.ts'

/**
 * The fields in a comma-separated list: `all` means every known field, and an absent list means the usual fields.
 * Throws invalid_request for an unknown field.
 */
export function chosenFields(
  list: string | undefined,
  known: readonly string[],
  usual: readonly string[],
): readonly string[] {
  if (list === undefined) return usual
  const names = list.split(',').map((name) => name.trim())
  if (names.includes(ALL)) return known
  const unknown = known.length === 0 ? undefined : names.find((name) => !known.includes(name))
  if (unknown === undefined) return names
  throw invalidArgument('fields', 'malformed', {
    allowed: [ALL, ...known],
    ...suggested(suggest(unknown, known)),
  })
}

const ALL = 'all'

function suggested(suggestion: string | undefined) {
  return suggestion === undefined ? {} : { suggestion }
}
