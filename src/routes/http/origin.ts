import { type Cidr, isIn } from '../../core/client-address.ts'
import type { ConnectedCaller } from './callers.ts'
import { headerOf } from './request.ts'

/** How this service is reached. */
export type Listening = {
  /** Proxies that are believed. */
  readonly trusted: readonly Cidr[]
  /** Whether the listener itself speaks TLS. */
  readonly tls: boolean
}

/**
 * The origin by which a caller has asked, such as `https://perps.example`. What a trusted proxy forwards without saying
 * that it came by http came by https.
 */
export function originOf(
  { url, headers }: Request,
  { peer }: ConnectedCaller,
  { trusted, tls }: Listening,
): string {
  const read = (name: string) => headerOf(headers, name)
  const isProxied = isIn(trusted, peer) && wasForwarded(read)
  const isSecure = isProxied ? !schemesOf(read).includes('http') : tls
  const host = (read('host') ?? new URL(url).host).toLowerCase()
  return `${isSecure ? 'https' : 'http'}://${host}`
}

type Read = (name: string) => string | null

const FORWARDING = [
  ...['forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-host'],
  'x-forwarded-proto',
]

/** Whether a proxy says that it has forwarded a request. */
export function wasForwarded(headers: Read): boolean {
  return FORWARDING.some((name) => headers(name) !== null)
}

/** The protocols that proxies say a request came by, in lower case (X-Forwarded-Proto, and RFC 7239 `proto`). */
export function schemesOf(headers: Read): readonly string[] {
  const plain = (headers('x-forwarded-proto') ?? '').split(',')
  const pairs = (headers('forwarded') ?? '').split(/[,;]/).map((pair) => pair.split('='))
  const forwarded = pairs.flatMap(([name = '', value = '']) =>
    name.trim().toLowerCase() === 'proto' ? [value] : [],
  )
  return [...plain, ...forwarded].map((scheme) => scheme.replaceAll('"', '').trim().toLowerCase())
}
