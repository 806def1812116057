import { ipVersion, isInAnyBlock, parseCidrs } from './client-address.ts'

/**
 * Address blocks without public hosts (IANA's special-purpose registries), multicast, and IPv6 forms that embed a
 * different address.
 */
// biome-ignore format: read as a list
const NOT_PUBLIC = parseCidrs([
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12',
  '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15',
  '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4',
  '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20',
])

/** All IPv6 addresses of public hosts are in this block; IPv6 forms of IPv4 addresses are outside it. */
const GLOBAL_IPV6 = parseCidrs(['2000::/3'])

/** Whether an address can belong to a public internet host; false for other text. */
export function isPublicAddress(address: string): boolean {
  const version = ipVersion(address)
  if (version === 0 || isInAnyBlock(NOT_PUBLIC, address)) return false
  return version === 4 || isInAnyBlock(GLOBAL_IPV6, address)
}
