import { isObject } from '../../src/core/json.ts'

/** How a value differs from an example: where, and how. */
export function differences(value: unknown, example: unknown, at = ''): string[] {
  if (Array.isArray(example)) {
    if (!Array.isArray(value)) return [`${at} is no list`]
    const [first] = example
    if (first === undefined) return []
    return [...new Set(value.flatMap((each) => differences(each, first, `${at}[]`)))]
  }
  if (!isObject(example) || !isObject(value)) {
    const [type, known] = [value, example].map((each) => (each === null ? 'null' : typeof each))
    return type === known ? [] : [`${at} is ${type}, not ${known}`]
  }
  return [...new Set([...Object.keys(value), ...Object.keys(example)])].flatMap((name) => {
    if (!(name in value)) return [`${at}.${name} is missing`]
    if (!(name in example)) return [`${at}.${name} is too many`]
    return differences(value[name], example[name], `${at}.${name}`)
  })
}

/** Lists of a value that have nothing in them: where. */
export function emptyLists(value: unknown, at: string): string[] {
  if (Array.isArray(value))
    return value.length === 0
      ? [at]
      : [...new Set(value.flatMap((each) => emptyLists(each, `${at}[]`)))]
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => emptyLists(inner, `${at}.${name}`))
}
