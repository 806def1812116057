/*
 * Replaces `node:net`, whose loading takes 12 ms of a start (Bun 1.4.5). Its `BlockList` tests only membership (0.6 us;
 * 0.5 us here). This file also needs the groups of an address, for rate windows per /64 and to check the bits beyond a
 * prefix.
 */

import { LIMITS } from '../contract/limits.ts'
/** A caller. `limitKey` is the key of its rate windows: the address, for IPv6 its /64. */
export type Caller = { readonly address: string; readonly limitKey: string }

/** Eight 16-bit groups. IPv4 addresses use their IPv4-mapped IPv6 form, so that one comparison serves both. */
export type AddressGroups = readonly number[]

/** A block of addresses: the first `bits` bits of `groups`. */
export type Cidr = { readonly groups: AddressGroups; readonly bits: number }

const GROUP_COUNT = 8
const GROUP_BITS = 16
const MAPPED_BITS = 96
const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`)
const ADDRESS_MAX_CHARS = 64
/** `127.0.0.0/8` and `::1` in parsed form, because parsing them would take a millisecond of every start. */
const LOOPBACKS: readonly Cidr[] = [
  { groups: [0, 0, 0, 0, 0, 0xffff, 0x7f00, 0], bits: 104 },
  { groups: [0, 0, 0, 0, 0, 0, 0, 1], bits: 128 },
]

/**
 * Parses blocks such as `10.0.0.0/8` or `fd00::/8`; a bare address is a block of one address. An IPv4 block also
 * matches IPv4-mapped addresses. Throws RangeError that names the entry if the entry is invalid or has bits set beyond
 * its prefix. Such bits would silently widen trust.
 */
export function parseCidrs(list: readonly string[]): Cidr[] {
  return list.map(parseCidr)
}

function parseCidr(entry: string): Cidr {
  const [address = '', prefix, ...rest] = entry.trim().split('/')
  const groups = parseGroups(address)
  const offset = address.includes(':') ? 0 : MAPPED_BITS
  const bits = prefix === undefined ? GROUP_COUNT * GROUP_BITS : parsePrefix(prefix) + offset
  const valid = groups && rest.length === 0 && bits >= 0 && bits <= GROUP_COUNT * GROUP_BITS
  if (!valid || !groups.every((group, at) => (group & ~groupMask(bits, at)) === 0)) {
    throw new RangeError(`not an address block: ${entry}`)
  }
  return { groups, bits }
}

function parsePrefix(prefix: string): number {
  return /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
}

/**
 * The caller's address: the peer, or, behind a trusted proxy, the rightmost untrusted hop of X-Forwarded-For. An
 * invalid entry ends the search at the last valid hop, because a client can forge the entries further left. IPv4-mapped
 * addresses are returned as IPv4.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  trusted: readonly Cidr[],
): string {
  let address = unmapped(peer)
  if (forwardedFor === null || !isInAnyBlock(trusted, address)) return address
  let end = forwardedFor.length
  for (let hops = 0; end >= 0 && hops < LIMITS.proxyHopsMax; hops += 1) {
    const comma = end === 0 ? -1 : forwardedFor.lastIndexOf(',', end - 1)
    const hop = hopAddress(forwardedFor.slice(comma + 1, end))
    if (hop === null) return address
    address = hop
    if (!isInAnyBlock(trusted, address)) return address
    end = comma
  }
  return address
}

/** The address in an entry of X-Forwarded-For, which may have a port and, for IPv6, brackets; null if invalid. */
function hopAddress(entry: string): string | null {
  const [, bracketed, withPort, bare] =
    /^[ \t]*(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5}|(\S+))[ \t]*$/.exec(entry) ?? []
  const address = bracketed ?? withPort ?? bare ?? ''
  const version = ipVersion(address)
  const expected = bracketed === undefined ? version !== 0 : version === 6
  return expected ? unmapped(address) : null
}

/**
 * A caller's key in the rate windows: the IPv4 address, or the /64 of the IPv6 address, because one household or server
 * has a whole /64. A text that is not an address, such as a socket's path, is returned unchanged.
 */
export function limitKey(address: string): string {
  // Fast path: most callers have IPv4 addresses, which need only a scan for a colon.
  if (!address.includes(':')) return address
  const groups = parseGroups(address)
  if (!groups) return address
  return dotted(groups) ?? `${prefixText(groups)}::/64`
}

/** The `limitKey` of an address or of a `limitKey`; null for any other text. */
export function addressKey(text: string): string | null {
  const counted = text.endsWith('::/64') ? text.slice(0, -'/64'.length) : text
  const groups = parseGroups(counted)
  if (!groups) return null
  const isWhole = counted === text || hasOnlyNetworkBits(groups)
  return isWhole ? limitKey(counted) : null
}

/** The groups of an address; null for any other text. */
export function addressGroups(text: string): AddressGroups | null {
  return parseGroups(text)
}

/** An address with all but the first `bits` bits zeroed. */
export function maskedAddress(groups: AddressGroups, bits: number): AddressGroups {
  return groups.map((group, at) => group & groupMask(bits, at))
}

/** A dotted IPv4 address, or the first four groups of an IPv6 address, shortened before `::` as in RFC 5952. */
export function networkPrefix(groups: AddressGroups): string {
  return dotted(groups) ?? prefixText(groups)
}

/** Whether all groups beyond the first four are zero. */
function hasOnlyNetworkBits(groups: AddressGroups): boolean {
  return groups.slice(GROUP_COUNT / 2).every((group) => group === 0)
}

/** The first four groups, shortened as in RFC 5952 when `::` follows. */
function prefixText(groups: AddressGroups): string {
  const prefix = groups.slice(0, GROUP_COUNT / 2)
  return prefix
    .slice(0, prefix.findLastIndex((group) => group !== 0) + 1)
    .map((group) => group.toString(16))
    .join(':')
}

/** Whether an address is this machine's own: 127.0.0.0/8, ::1, or the IPv4-mapped form of 127.0.0.0/8. */
export function isLoopback(address: string): boolean {
  return isInAnyBlock(LOOPBACKS, address)
}

/** Whether an address is in one of the blocks. */
export function isInAnyBlock(blocks: readonly Cidr[], address: string): boolean {
  if (blocks.length === 0) return false
  const groups = parseGroups(address)
  return groups !== null && blocks.some((block) => contains(block, groups))
}

function contains({ groups, bits }: Cidr, address: AddressGroups): boolean {
  return groups.every((group, at) => ((address[at] ?? 0) & groupMask(bits, at)) === group)
}

/** The mask of the group at a position for a prefix of `bits` bits. */
function groupMask(bits: number, at: number): number {
  const own = Math.min(Math.max(bits - at * GROUP_BITS, 0), GROUP_BITS)
  return (0xffff << (GROUP_BITS - own)) & 0xffff
}

function unmapped(address: string): string {
  if (!address.includes(':')) return address
  const groups = parseGroups(address)
  return (groups && dotted(groups)) ?? address
}

/** The dotted text of an IPv4-mapped address (RFC 4291, 2.5.5.2); null for any other. */
function dotted(groups: AddressGroups): string | null {
  const [high = 0, low = 0] = groups.slice(6)
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  return mapped ? [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.') : null
}

/** The version of an address: 4, 6 (also with a zone), or 0 for any other text. */
export function ipVersion(text: string): 0 | 4 | 6 {
  if (IPV4.test(text)) return 4
  return text.length <= ADDRESS_MAX_CHARS && text.includes(':') && isV6(text) ? 6 : 0
}

function isV6(text: string): boolean {
  const [, bare = '', zone] = /^([^%]*)(%[\dA-Za-z.:-]+)?$/.exec(text) ?? []
  if (zone === '') return false
  const [head = '', tail, ...rest] = bare.split('::')
  if (rest.length > 0) return false
  if (tail === undefined) return groupsIn(head, true) === GROUP_COUNT
  return groupsIn(head, false) + groupsIn(tail, true) < GROUP_COUNT
}

/** The number of groups in a part next to `::`; Infinity for an invalid part. */
function groupsIn(part: string, isLast: boolean): number {
  if (part === '') return 0
  const texts = part.split(':')
  const last = isLast && IPV4.test(texts.at(-1) ?? '') ? texts.pop() : undefined
  if (!texts.every((group) => /^[\dA-Fa-f]{1,4}$/.test(group))) return Number.POSITIVE_INFINITY
  return texts.length + (last === undefined ? 0 : 2)
}

/** The groups of an address; null for other text. A zone (`%eth0`) names a local interface and is dropped. */
function parseGroups(address: string): AddressGroups | null {
  const version = ipVersion(address)
  if (version === 0) return null
  if (version === 4) return [0, 0, 0, 0, 0, 0xffff, ...dottedGroups(address)]
  const [bare = ''] = address.split('%')
  const [head = '', tail] = bare.split('::')
  const left = plainGroups(head)
  const right = tail === undefined ? [] : plainGroups(tail)
  return [...left, ...Array<number>(GROUP_COUNT - left.length - right.length).fill(0), ...right]
}

function plainGroups(text: string): number[] {
  if (text === '') return []
  return text
    .split(':')
    .flatMap((group) => (group.includes('.') ? dottedGroups(group) : [Number.parseInt(group, 16)]))
}

/** The four bytes of a dotted address as two groups. */
function dottedGroups(address: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return [(a << 8) | b, (c << 8) | d]
}
