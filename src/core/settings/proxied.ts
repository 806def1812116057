import { isLoopbackUrl } from '../base-url.ts'

/**
 * Whether the environment names a proxy that may apply to a URL. Exemptions (NO_PROXY) are ignored: a wrongly assumed
 * proxy costs a connection, a missed one would be bypassed.
 */
export function mayBeProxied(url: URL, env: Readonly<Record<string, string | undefined>>): boolean {
  const names = [`${url.protocol.slice(0, -1)}_proxy`, 'all_proxy']
  const isNamed = names.some((name) => env[name] || env[name.toUpperCase()])
  return isNamed && !isLoopbackUrl(url)
}
