import { isObject } from '../core/json.ts'
import { invalidArgument } from './refusal.ts'

/**
 * Throws invalid_request when an argument looks like a key or a seed phrase: no tool takes one, and what a model was
 * told it may tell again. Neither the value nor a name that looks like one is repeated.
 */
export function assertNoSecret(given: readonly (readonly [name: string, value: unknown])[]): void {
  for (const [name, value] of given) {
    if (isSecret('', name)) throw leaked('arguments')
    if (isObject(value)) assertNoSecret(Object.entries(value))
    else if (typeof value === 'string' && isSecret(name, value.trim())) throw leaked(name)
  }
}

const HEX_SECRET = /^(0x)?[0-9a-f]{64}$/i
/** Hashes and accounts are as long as a key; they are written with 0x, and belong here. */
const PUBLIC_HEX: ReadonlySet<string> = new Set(['tx_hash', 'account_id'])
const SEED_PHRASE = /^(?:[a-z]{3,8}\s+){11,23}[a-z]{3,8}$/i
const SEED_WORDS: ReadonlySet<number> = new Set([12, 15, 18, 21, 24])

function isSecret(name: string, value: string): boolean {
  const hex = HEX_SECRET.exec(value)
  if (hex) return !(hex[1] && PUBLIC_HEX.has(name))
  return SEED_PHRASE.test(value) && SEED_WORDS.has(value.split(/\s+/).length)
}

function leaked(parameter: string) {
  return invalidArgument(parameter, 'holds_key', {
    next: 'No tool takes a key: credentials belong in the configuration of the client. Tell the user, and to replace this key. Hashes start with 0x.',
  })
}
