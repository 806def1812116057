import { envelope, newCaller } from '../caller.ts'
import { askToBind, askToRegister, type Fetcher, signedBody, WALLETS } from '../surface/wallets.ts'
import { bytesOf, type Row, type SignedCall, type SignedMessage } from './corpus.ts'
import { FORGERIES } from './forgeries.ts'

/** The exact bytes of a hostile request; `prepd` is asked for what there is to sign. */
export async function requestOf(row: Row, prepd: Fetcher): Promise<Buffer> {
  if (row.raw !== undefined) return bytesOf(row.raw)
  const body = await bodyOf(row, prepd)
  const given = new Set(row.headers?.map(([name]) => name.toLowerCase()))
  const usual = [
    ['host', '127.0.0.1'],
    ['connection', 'close'],
    ...(body ? [['content-type', 'application/json'] as const] : []),
    ...(body ? [['content-length', String(body.length)] as const] : []),
  ] as const
  const lines = [
    ...usual.filter(([name]) => !given.has(name)),
    ...(row.headers ?? []).filter(([, value]) => value !== ''),
  ]
  const method = row.method ?? (body ? 'POST' : 'GET')
  return Buffer.concat([
    Buffer.from(`${method} `),
    bytesOf(row.path ?? '/api/prep/relay'),
    Buffer.from(' HTTP/1.1\r\n'),
    ...lines.flatMap(([name, value]) => [
      Buffer.from(`${name}: `),
      bytesOf(value),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('\r\n'),
    body ?? Buffer.alloc(0),
  ])
}

async function bodyOf(row: Row, prepd: Fetcher): Promise<Buffer | null> {
  if (row.body !== undefined) return bytesOf(row.body)
  if (row.json !== undefined) return Buffer.from(JSON.stringify(row.json))
  if (row.call) return Buffer.from(JSON.stringify(signedCall(row.call)))
  if (row.consent) return Buffer.from(JSON.stringify(await signedMessage(row.consent, prepd)))
  return null
}

/** An envelope that was good, after its forger had it. */
function signedCall({ method, path, body, ageMs = 0, forge, top, auth }: SignedCall): object {
  const signed = envelope(newCaller(), {
    method: method as 'GET',
    path: bytesOf(path).toString(),
    ...(body !== undefined && { body: bytesOf(body).toString() }),
    timestamp: String(Date.now() - ageMs),
  })
  const forgery = forge === undefined ? undefined : FORGERIES[forge]
  if (forge !== undefined && !forgery) throw new Error(`no such forgery: ${forge}`)
  return { ...signed, auth: { ...signed.auth, ...forgery?.(signed.auth), ...auth }, ...top }
}

const DAY_MS = 86_400_000

async function signedMessage({ kind, message, top }: SignedMessage, prepd: Fetcher) {
  const toSign =
    kind === 'register'
      ? await askToRegister(prepd)
      : await askToBind(prepd, newCaller().key, Date.now() + DAY_MS)
  const body = await signedBody(WALLETS.viem(), toSign)
  return { ...body, message: { ...body.message, ...message }, ...top }
}
