import {
  type AddressGroups,
  addressGroups,
  type Cidr,
  maskedAddress,
  networkPrefix,
  parseCidrs,
} from './client-address.ts'

/** The allowed prefix lengths of a network. IPv6 callers are counted per /64, so longer prefixes have no meaning. */
const NETWORK_BITS = { v4: { min: 8, max: 32 }, v6: { min: 16, max: 64 } } as const

/** The first bit of an IPv4 address in its IPv4-mapped form. */
const MAPPED_BITS = 96

/**
 * The canonical text of a network such as `203.0.113.0/24` or `2001:db8::/32`. Null for other text, for bits set beyond
 * the prefix, and for a prefix outside the allowed lengths.
 */
export function networkKey(text: string): string | null {
  const cidr = text.includes('/') ? parseCidr(text) : null
  if (cidr === null) return null
  const version = isV4(cidr.groups) ? 'v4' : 'v6'
  const bits = version === 'v4' ? cidr.bits - MAPPED_BITS : cidr.bits
  const { min, max } = NETWORK_BITS[version]
  if (bits < min || bits > max) return null
  const whole = version === 'v4' && bits === max
  return whole ? networkPrefix(cidr.groups) : networkText(cidr)
}

/** The prefix length of a network's text, in IPv6 bits; null for other text. */
export function networkBits(key: string): number | null {
  const [, address, bits] = /^([^/]+)\/(\d+)$/.exec(key) ?? []
  if (address === undefined) return null
  return Number(bits) + (address.includes(':') ? 0 : MAPPED_BITS)
}

/** The networks of these prefix lengths that contain an address or an IPv6 /64; empty for other text. */
export function* networksAround(caller: string, lengths: Iterable<number>): Generator<string> {
  const groups = addressGroups(caller.replace(/\/64$/, ''))
  if (groups === null) return
  const own = isV4(groups)
  for (const bits of lengths) {
    const isOfVersion = bits >= MAPPED_BITS === own
    if (isOfVersion) yield networkText({ groups: maskedAddress(groups, bits), bits })
  }
}

function networkText({ groups, bits }: Cidr): string {
  const v4 = isV4(groups) && bits >= MAPPED_BITS
  return v4
    ? `${networkPrefix(groups)}/${bits - MAPPED_BITS}`
    : `${networkPrefix(groups)}::/${bits}`
}

function isV4(groups: AddressGroups): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
}

function parseCidr(text: string): Cidr | null {
  try {
    return parseCidrs([text])[0] ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
