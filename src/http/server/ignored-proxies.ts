import type { Meter } from '../../core/observing/meter.ts'
import type { Log } from '../../core/ports.ts'
import { isPublicAddress } from '../../core/public-address.ts'
import { shortened } from './access.ts'

/**
 * Counts requests with a forwarding header from an untrusted peer. Logs the first peer in a private network, probably
 * the operator's proxy; from public addresses anyone may send the header.
 */
export function countIgnoredProxies(meter: Meter, log: Log): (peer: string) => void {
  const counters = {
    private: meter.counter('prepd_forwarded_ignored_total', 'private'),
    public: meter.counter('prepd_forwarded_ignored_total', 'public'),
  }
  let isLogged = false
  return (peer) => {
    const network = isPublicAddress(peer) ? 'public' : 'private'
    counters[network].add()
    if (isLogged || network === 'public') return
    isLogged = true
    log.warn('proxy_not_trusted', { peer: shortened(peer), setting: 'PREPD_TRUSTED_PROXIES' })
  }
}
