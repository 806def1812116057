import { type AnyNode, parse } from 'acorn'
import { walk } from './callbacks.ts'
import type { Tree } from './rules.ts'
import { COMMENT_OR_TEXT } from './vocabulary.ts'

export const OF_NAMES_MAX = 150

/** Functions named `…Of`, where no noun or verb is better: `sideOf`. Take names out; add none. */
export const OF_NAMES: readonly string[] = ['channelOf', 'listOf', 'oneOf', 'sideOf']

/** Names that several files of src export. A value and a type of one name in the same file count as one. */
export function repeatedExports(tree: Tree): string[] {
  const owners = new Map<string, Set<string>>()
  for (const [path, text] of sources(tree)) {
    for (const name of exportedNames(text)) {
      owners.set(name, (owners.get(name) ?? new Set()).add(path))
    }
  }
  return [...owners]
    .filter(([, paths]) => paths.size > 1)
    .map(
      ([name, paths]) =>
        `${name} is exported by ${[...paths].join(' and ')}: rename all but one, so that a search finds one file`,
    )
}

function exportedNames(text: string): string[] {
  const code = withoutTexts(text)
  const declared =
    /^export (?:default |declare |abstract |async )*(?:function\*?|const|let|class|type|interface|enum) (?:(\w+)|[[{]([^\]}]*)[\]}])/gm
  const listed = /^export (?:type )?\{([^}]*)\}(?! from)/gm
  return [
    ...[...code.matchAll(declared)].flatMap(([, name, pattern]) => name ?? boundNames(pattern)),
    ...[...code.matchAll(listed)].flatMap(([, list]) => boundNames(list)),
  ]
}

/** The names that a list binds: `b` for `a: b`, for `a as b`, for `type b` and for `b = c`. */
function boundNames(list = ''): string[] {
  const entries = list.split(',').map((entry) => entry.replace(/=.*/s, ''))
  return entries.flatMap((entry) => /(\w+)\s*$/.exec(entry)?.[1] ?? [])
}

/** Functions of src named `…Of` that are not listed, listed names without such a function, and a list that is too long. */
export function ofFaults(tree: Tree, listed = OF_NAMES): string[] {
  const found = ofFunctions(tree)
  const unlisted = [...found].filter(([name]) => !listed.includes(name))
  const missing = listed.filter((name) => !found.has(name))
  return [
    ...unlisted.map(
      ([name, paths]) =>
        `${paths.join(' and ')}: rename ${name}: a noun for a result (positionRows, toRow), a verb for an effect (readRows)`,
    ),
    ...missing.map((name) => `src has no function ${name}: delete the name from OF_NAMES`),
    ...(listed.length > OF_NAMES_MAX
      ? [`OF_NAMES has ${listed.length} names, at most ${OF_NAMES_MAX}: rename these functions`]
      : []),
  ]
}

/** Functions of src named `…Of`, declared or assigned to a constant: each name with its files. */
export function ofFunctions(tree: Tree): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [path, text] of sources(tree)) {
    // Parsing is slow, and few files have such a function.
    if (!/\b(?:function\*?|const|let) \w+Of\b/.test(text)) continue
    const names = new Set(functionNames(path, text).filter((name) => name.endsWith('Of')))
    for (const name of names) found.set(name, [...(found.get(name) ?? []), path])
  }
  return found
}

const TRANSPILER = new Bun.Transpiler()

function functionNames(path: string, text: string): string[] {
  const script = TRANSPILER.transformSync(text, path.endsWith('.tsx') ? 'tsx' : 'ts')
  const names: string[] = []
  walk(parse(script, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
    const name = functionName(node)
    if (name !== null) names.push(name)
  })
  return names
}

function functionName(node: AnyNode): string | null {
  if (node.type === 'FunctionDeclaration') return node.id?.name ?? null
  if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') return null
  return /FunctionExpression$/.test(node.init?.type ?? '') ? node.id.name : null
}

/** Types named `…Parts` or `…Deps` outside the code that opens a deployment. */
export function bagTypes(tree: Tree): string[] {
  const declared =
    /\b(?:type|interface|class) (\w*(?:Parts|Deps))(?=\s*(?:[=<{]|extends\b|implements\b))/g
  return sources(tree)
    .filter(([path]) => !/^src\/main(?:\/|\.ts$)/.test(path))
    .flatMap(([path, text]) =>
      [...withoutTexts(text).matchAll(declared)].map(
        ([, name]) =>
          `${path}: rename the type ${name} after what it holds (LimiterOptions, VenueAccess)`,
      ),
    )
}

function sources(tree: Tree): [path: string, text: string][] {
  return [...tree].filter(([path]) => /^src\/.*\.tsx?$/.test(path))
}

function withoutTexts(text: string): string {
  return text.replace(COMMENT_OR_TEXT, ' ')
}
