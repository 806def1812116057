/** A JSON value whose numbers are kept as their text, so that no figure passes through a float. */
export type Exact = string | boolean | null | readonly Exact[] | { readonly [name: string]: Exact }

/** Parses JSON and keeps each number as its text, such as `1.50` or a 20-digit integer. Throws SyntaxError. */
export function readExact(json: string): Exact {
  return JSON.parse(json.replace(TOKEN, quoteNumber))
}

/** Parses JSON as `readExact` does; undefined for invalid JSON. */
export function exactOrNone(json: string): Exact | undefined {
  try {
    return readExact(json)
  } catch {
    return undefined
  }
}

/** Matches a number, or a whole string, so that numbers inside strings stay unchanged. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function quoteNumber(token: string): string {
  return token.startsWith('"') ? token : `"${token}"`
}

/** A member of an object; undefined for any other value and for a missing member. */
export function memberValue(value: Exact | undefined, name: string): Exact | undefined {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The text of a member, numbers included; '' if the member is missing or has another type. */
export function memberText(value: Exact | undefined, name: string): string {
  const member = memberValue(value, name)
  return typeof member === 'string' ? member : ''
}

/** The rows of a list member; an empty list if the member is missing or has another type. */
export function memberRows(value: Exact | undefined, name: string): readonly Exact[] {
  const member = memberValue(value, name)
  return Array.isArray(member) ? member : []
}

/** Whether a value is an object. */
export function isRecord(value: Exact | undefined): value is { readonly [name: string]: Exact } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
