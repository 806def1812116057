import admin from './vectors/admin.json'
import agent from './vectors/agent.json'
import proxied from './vectors/agent-proxied.json'
import connections from './vectors/connections.json'
import origins from './vectors/origins.json'
import everyone from './vectors/origins-everyone.json'
import queries from './vectors/queries.json'
import relayPaths from './vectors/relay-paths.json'
import relayShapes from './vectors/relay-shapes.json'
import relaySignatures from './vectors/relay-signatures.json'
import swaps from './vectors/swaps.json'
import texts from './vectors/texts.json'
import vouchers from './vectors/vouchers.json'
import wallets from './vectors/wallets.json'

/** A text in pieces: as it stands, repeated, or bytes in hex that no text could hold. */
type Piece = string | { readonly repeat: string; readonly times: number } | { readonly hex: string }

export type Text = Piece | readonly Piece[]

/** A call that somebody signs at the time of the test, and what is then done to its envelope. */
export type SignedCall = {
  readonly method: string
  readonly path: Text
  readonly body?: Text
  /** How long ago it was signed; negative is ahead. */
  readonly ageMs?: number
  /** One of `FORGERIES`. */
  readonly forge?: string
  /** Members that replace those of the envelope, or of its `auth`, after it was signed; null is null. */
  readonly top?: Readonly<Record<string, unknown>>
  readonly auth?: Readonly<Record<string, unknown>>
}

/** A wallet's message that is signed at the time of the test, and what is then done to it. */
export type SignedMessage = {
  readonly kind: 'register' | 'trading-key'
  readonly message?: Readonly<Record<string, unknown>>
  readonly top?: Readonly<Record<string, unknown>>
}

/** What must come back. */
type Expected = {
  /** The status of the first answer, or any of several; 0 is a connection closed without a word. */
  readonly status: number | readonly number[]
  /** The service's own code, also where it travels inside JSON-RPC or a tool's text. */
  readonly code?: string
  /** The parameter that the failure names. */
  readonly parameter?: string
  /** The code of a JSON-RPC error. */
  readonly rpc?: number
  /** How many answers come back on the connection; one unless this says otherwise. */
  readonly answers?: number | readonly number[]
  /** Texts that stand in the answer, its head in lower case. */
  readonly has?: readonly string[]
  readonly missing?: readonly string[]
}

/** One hostile request. Without `raw` it is a well-formed HTTP/1.1 request that ends its connection. */
export type Row = {
  readonly name: string
  readonly raw?: Text
  readonly to?: 'ops'
  readonly method?: string
  readonly path?: Text
  readonly headers?: readonly (readonly [name: string, value: Text])[]
  /** Exactly one of these four, or none. */
  readonly body?: Text
  readonly json?: unknown
  readonly call?: SignedCall
  readonly consent?: SignedMessage
  readonly expect: Expected
  /** What arrives upstream, as method and target; null is whatever a public read asks. Absent: nothing. */
  readonly sent?: readonly string[] | null
  /** How many rows it leaves in the store; null is as many as it likes. Absent: none. */
  readonly stored?: number | null
}

export type Group = {
  readonly settings?: Readonly<Record<string, string>>
  readonly rows: readonly Row[]
}

const GROUPS: Readonly<Record<string, unknown>> = {
  connections,
  texts,
  queries,
  'relay shapes': relayShapes,
  'relay paths': relayPaths,
  'relay signatures': relaySignatures,
  wallets,
  admin,
  swaps,
  vouchers,
  agent,
  'agent behind a proxy': proxied,
  origins,
  'every origin': everyone,
}

/** Every hostile input by subject. */
export const CORPUS: readonly (readonly [subject: string, group: Group])[] = Object.entries(
  GROUPS,
).map(([subject, group]) => [subject, group as Group])

/** The bytes of a text, strings as UTF-8. */
export function bytesOf(text: Text): Buffer {
  const pieces = isPiece(text) ? [text] : text
  return Buffer.concat(pieces.map(pieceBytes))
}

function isPiece(text: Text): text is Piece {
  return !Array.isArray(text)
}

function pieceBytes(piece: Piece): Buffer {
  if (typeof piece === 'string') return Buffer.from(piece)
  if ('hex' in piece) return Buffer.from(piece.hex, 'hex')
  return Buffer.from(piece.repeat.repeat(piece.times))
}
