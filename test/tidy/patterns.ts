import { parse } from 'acorn'
import { analyse } from 'scslre'
import type { Tree } from './rules.ts'

/** A regular expression and where it stands. */
type Pattern = { readonly path: string; readonly regexp: RegExp }

/** Every regular expression that is written down in the sources. */
export function patternsOf(sources: Tree): Pattern[] {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  return [...sources].flatMap(([path, text]) =>
    regexpsOf(transpiler.transformSync(text)).map((regexp) => ({ path, regexp })),
  )
}

function regexpsOf(script: string): RegExp[] {
  const found: RegExp[] = []
  parse(script, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    onToken: (token) => {
      const { type, value } = Object(token)
      if (type.label === 'regexp') found.push(new RegExp(value.pattern, value.flags))
    },
  })
  return found
}

/** Whether a text can be made for which matching takes longer than its length explains. */
export function isSlow(regexp: RegExp): boolean {
  return analyse(regexp).reports.length > 0
}
