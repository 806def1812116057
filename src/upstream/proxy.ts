import { isLoopbackUrl } from '../core/base-url.ts'

/**
 * How a session reaches a URL: a proxy named in the environment serves the outside world, and has no business with
 * what runs on this machine.
 */
export function proxyFor(url: URL): { readonly proxy?: false } {
  return isLoopbackUrl(url) ? { proxy: false } : {}
}
