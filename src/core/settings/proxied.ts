import { isLoopbackUrl } from '../base-url.ts'

/**
 * Whether an environment names a proxy that may stand before a URL. What it exempts is not looked at: a proxy that is
 * believed in by mistake costs a connection, one that is overlooked is gone round.
 */
export function mayBeProxied(url: URL, env: Readonly<Record<string, string | undefined>>): boolean {
  const names = [`${url.protocol.slice(0, -1)}_proxy`, 'all_proxy']
  const isNamed = names.some((name) => env[name] || env[name.toUpperCase()])
  return isNamed && !isLoopbackUrl(url)
}
