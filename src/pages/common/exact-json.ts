/** A JSON value whose numbers are kept as their text, so that no figure passes through a float. */
export type Exact = string | boolean | null | readonly Exact[] | { readonly [name: string]: Exact }

/** Reads JSON so that `1.50` and twenty-digit integers arrive as texts. Throws SyntaxError. */
export function readExact(json: string): Exact {
  return JSON.parse(json.replace(TOKEN, quoteNumber))
}

/** Reads JSON as `readExact`; undefined for a text that is not JSON. */
export function exactOrNone(json: string): Exact | undefined {
  try {
    return readExact(json)
  } catch {
    return undefined
  }
}

/** Matches a complete string, so that numbers inside it stay unchanged, or a number. */
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
