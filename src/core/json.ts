/** Whether a parsed value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The named members of an object, in that order; what it lacks is absent. */
export function pick(
  row: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const name of names) if (row[name] !== undefined) picked[name] = row[name]
  return picked
}
