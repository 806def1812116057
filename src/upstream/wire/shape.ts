import type { ChangeKind, Shape } from '../../contract/venue/shapes.ts'
import { isObject } from '../../core/json.ts'

/** One difference between an answer and its shape. `field` is a path such as `rows[].symbol`; it contains no values. */
export type ShapeChange = {
  readonly kind: ChangeKind
  readonly field: string
  /** The type that was found; '' if the field is missing. */
  readonly found: string
}

/** Maximum number of rows that are compared per list. */
const ROWS_MAX = 50
/** Maximum number of differences per answer. */
const CHANGES_MAX = 50

/** The differences between an answer and its shape, each field once. A field is missing if no row of a list has it. */
export function shapeChanges(shape: Shape, answer: unknown): readonly ShapeChange[] {
  const found: ShapeChange[] = []
  compare(shape, [answer], '', found)
  return found.slice(0, CHANGES_MAX)
}

/** Compares all values that occur at one path of an answer. */
function compare(
  shape: Shape,
  values: readonly unknown[],
  field: string,
  found: ShapeChange[],
): void {
  const present = values.filter((value) => value !== null && value !== undefined)
  if (typeof shape === 'string') compareLeaf(shape, present, field, found)
  else if (isList(shape)) compareList(shape, present, field, found)
  else compareObject(shape, present, field, found)
}

function compareLeaf(
  shape: string,
  values: readonly unknown[],
  field: string,
  found: ShapeChange[],
): void {
  const words = shape.split('|')
  const other = values.find((value) => !words.some((word) => fits(word, value)))
  if (other === undefined) return
  const type = typeName(other)
  const isEnum = typeof other === 'string' && words.some((word) => !TYPES.has(word))
  found.push({ kind: isEnum ? 'other_value' : 'other_type', field, found: type })
}

function compareList(
  [row]: readonly [Shape],
  values: readonly unknown[],
  field: string,
  found: ShapeChange[],
): void {
  const other = values.find((value) => !Array.isArray(value))
  if (other !== undefined) found.push({ kind: 'other_type', field, found: typeName(other) })
  const rows = values.flatMap((value) => (Array.isArray(value) ? value.slice(0, ROWS_MAX) : []))
  compare(row, rows.slice(0, ROWS_MAX), `${field}[]`, found)
}

function compareObject(
  shape: { readonly [field: string]: Shape },
  values: readonly unknown[],
  field: string,
  found: ShapeChange[],
): void {
  const other = values.find((value) => !isObject(value))
  if (other !== undefined) found.push({ kind: 'other_type', field, found: typeName(other) })
  const objects = values.filter(isObject)
  if (objects.length === 0) return
  const at = (name: string) => (field === '' ? name : `${field}.${name}`)
  const known = new Set<string>()
  for (const [key, member] of Object.entries(shape)) {
    const name = key.replace(/\?$/, '')
    known.add(name)
    const holders = objects.filter((object) => Object.hasOwn(object, name))
    if (holders.length > 0) {
      const members = holders.map((object) => object[name])
      compare(member, members, at(name), found)
    } else if (name === key) found.push({ kind: 'missing_field', field: at(name), found: '' })
  }
  const names = new Set(objects.flatMap((object) => Object.keys(object)))
  for (const name of [...names.difference(known)].slice(0, CHANGES_MAX)) {
    const value = objects.find((object) => Object.hasOwn(object, name))?.[name]
    found.push({ kind: 'unknown_field', field: at(name), found: typeName(value) })
  }
}

const TYPES: ReadonlySet<string> = new Set(['str', 'num', 'bool', 'map', 'any'])

function fits(word: string, value: unknown): boolean {
  return word === 'any' || word === typeName(value) || (!TYPES.has(word) && word === value)
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'list'
  return TYPE_NAMES[typeof value] ?? 'map'
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'str',
  number: 'num',
  boolean: 'bool',
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape)
}
