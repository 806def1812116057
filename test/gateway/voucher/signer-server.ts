import { type Hex, keccak256 } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'

/** A key of the signer, which nothing under test has. */
export const SIGNER_SECRET: Hex = `0x${'5a3c'.repeat(16)}`
const account = privateKeyToAccount(SIGNER_SECRET)
export const SIGNER_ADDRESS = account.address.toLowerCase()
/** As Web3Signer lists it: without the byte that says uncompressed. */
export const SIGNER_PUBLIC_KEY: Hex = `0x${account.publicKey.slice(4)}`

type Pair = { readonly cert: string; readonly key: string }

type Options = {
  /** Certificates of the server, and of who may call it. */
  readonly tls?: { readonly server: Pair; readonly client: Pair }
}

/** The part of Web3Signer that eth1 keys have: it signs the Keccak-256 of what it is sent. */
export function startSigner({ tls }: Options = {}) {
  const state = { signs: 0, answer: null as ((signature: string) => Response) | null }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    ...(tls && {
      tls: {
        cert: Bun.file(tls.server.cert),
        key: Bun.file(tls.server.key),
        ca: Bun.file(tls.client.cert),
        requestCert: true,
        rejectUnauthorized: true,
      },
    }),
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      if (request.method !== 'POST' || pathname !== `/api/v1/eth1/sign/${SIGNER_PUBLIC_KEY}`)
        return new Response('', { status: 404 })
      const data = bytesOf(await request.json())
      const signature = await sign({ hash: keccak256(data), privateKey: SIGNER_SECRET, to: 'hex' })
      state.signs += 1
      return state.answer?.(signature) ?? new Response(signature)
    },
  })
  return { state, url: server.url.href, stop: () => server.stop(true) }
}

function bytesOf(body: unknown): Uint8Array {
  return Uint8Array.fromHex(String(Object(body).data).slice(2))
}
