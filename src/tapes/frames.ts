import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { concatBytes, utf8 } from '../core/bytes.ts'
import { TAPE_LIMITS, TapeError } from './records.ts'

/**
 * The layout of a tape: a head, then frames. Any zstd program can read the file (RFC 8878). The head and the frame
 * headers are skippable frames of zstd, and each frame header precedes a zstd frame with compressed records. A frame's
 * checksum covers its header, its records and the previous frame's checksum, so it detects changed, moved and missing
 * frames.
 */

/** Reads bytes of a file. At the end of the file it returns fewer bytes than requested. */
export type TapeSource = {
  readonly sizeBytes: () => number
  readonly read: (at: number, length: number) => Uint8Array
}

/** The header of a frame and the frame's position in the file. */
export type FrameHeader = {
  readonly at: number
  readonly packedBytes: number
  readonly rawBytes: number
  readonly records: number
  /** Whether the frame begins with all markets and known books. */
  readonly isKey: boolean
  /** Whether the frame has a gap record. */
  readonly hasGaps: boolean
  /**
   * The lowest and the highest time of the frame's records. Without timed records, both are the last time before the
   * frame.
   */
  readonly firstUs: number
  readonly lastUs: number
  readonly checksum: bigint
}

const VERSION = 1
const HEAD_MAGIC = 0x184d2a50
const FRAME_MAGIC = 0x184d2a51
const NAME = utf8('prepd tape')
export const HEAD_BYTES = 8 + NAME.length + 2
const BODY_BYTES = 48
export const FRAME_HEADER_BYTES = 8 + BODY_BYTES
/** The checksum covers all bytes of the header that precede it. */
const CHECKED_BYTES = FRAME_HEADER_BYTES - 8
const LEVEL = 3
/** Flag bits in a frame's header. */
const KEY = 1
const GAPS = 2

/** The bytes at the start of a new tape. */
export function headBytes(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEAD_BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, HEAD_MAGIC, true)
  view.setUint32(4, HEAD_BYTES - 8, true)
  bytes.set(NAME, 8)
  view.setUint16(8 + NAME.length, VERSION, true)
  return bytes
}

/** Throws TapeError unless a file begins with the head of a tape of this version. */
export function checkHead(source: TapeSource): void {
  const bytes = source.read(0, HEAD_BYTES)
  const named = headBytes().subarray(0, HEAD_BYTES - 2)
  if (bytes.length < HEAD_BYTES || named.some((byte, at) => byte !== bytes[at]))
    throw new TapeError('this file is no tape')
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint16(HEAD_BYTES - 2, true)
  if (version !== VERSION)
    throw new TapeError(`this tape has version ${version}: this release reads version ${VERSION}`)
}

type Content = Omit<FrameHeader, 'at' | 'packedBytes' | 'rawBytes' | 'checksum'> & {
  readonly raw: Uint8Array
}

/** The bytes of a frame, and the frame's checksum. The next frame's header contains this checksum. */
export function frameBytes(content: Content, previous: bigint) {
  const packed = zstdCompressSync(content.raw, {
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
  })
  const header = new Uint8Array(FRAME_HEADER_BYTES)
  const view = new DataView(header.buffer)
  view.setUint32(0, FRAME_MAGIC, true)
  view.setUint32(4, BODY_BYTES, true)
  view.setUint32(8, packed.length, true)
  view.setUint32(12, content.raw.length, true)
  view.setUint32(16, content.records, true)
  view.setUint32(20, (content.isKey ? KEY : 0) + (content.hasGaps ? GAPS : 0), true)
  view.setFloat64(24, content.firstUs, true)
  view.setFloat64(32, content.lastUs, true)
  view.setBigUint64(40, previous, true)
  const checksum = frameChecksum(header, packed)
  view.setBigUint64(48, checksum, true)
  return { bytes: concatBytes([header, packed]), checksum }
}

/**
 * Reads the header of the frame at a position. Returns the header only if a whole frame is there and follows the frame
 * with the checksum `previous`; otherwise null. With null as `previous`, any frame is accepted.
 */
export function headerAt(source: TapeSource, at: number, previous: bigint | null) {
  const bytes = source.read(at, FRAME_HEADER_BYTES)
  if (bytes.length < FRAME_HEADER_BYTES) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [packedBytes, rawBytes] = [view.getUint32(8, true), view.getUint32(12, true)]
  const isFrame = view.getUint32(0, true) === FRAME_MAGIC && view.getUint32(4, true) === BODY_BYTES
  const isBounded = Math.max(packedBytes, rawBytes) <= TAPE_LIMITS.frameMaxBytes
  const follows = previous === null || view.getBigUint64(40, true) === previous
  const isWhole = at + FRAME_HEADER_BYTES + packedBytes <= source.sizeBytes()
  if (!isFrame || !isBounded || !follows || !isWhole) return null
  return {
    at,
    packedBytes,
    rawBytes,
    records: view.getUint32(16, true),
    isKey: (view.getUint32(20, true) & KEY) !== 0,
    hasGaps: (view.getUint32(20, true) & GAPS) !== 0,
    firstUs: view.getFloat64(24, true),
    lastUs: view.getFloat64(32, true),
    checksum: view.getBigUint64(48, true),
  } satisfies FrameHeader
}

/** The position of the first byte after a frame. */
export function frameEnd({ at, packedBytes }: FrameHeader): number {
  return at + FRAME_HEADER_BYTES + packedBytes
}

/** The compressed records of a frame; null if the checksum does not match. */
export function readCompressed(source: TapeSource, header: FrameHeader): Uint8Array | null {
  const bytes = source.read(header.at, FRAME_HEADER_BYTES + header.packedBytes)
  const head = bytes.subarray(0, FRAME_HEADER_BYTES)
  const packed = bytes.subarray(FRAME_HEADER_BYTES)
  if (packed.length < header.packedBytes) return null
  return frameChecksum(head, packed) === header.checksum ? packed : null
}

/** The decompressed records of a frame. Throws TapeError if they are damaged. */
export function readDecompressed(source: TapeSource, header: FrameHeader): Uint8Array {
  const packed = readCompressed(source, header)
  if (packed === null) throw new TapeError(`the frame at byte ${header.at} is damaged`)
  const raw = zstdDecompressSync(packed, { maxOutputLength: header.rawBytes })
  if (raw.length !== header.rawBytes)
    throw new TapeError(`the frame at byte ${header.at} has another length`)
  return raw
}

function frameChecksum(header: Uint8Array, packed: Uint8Array): bigint {
  return Bun.hash.xxHash64(packed, Bun.hash.xxHash64(header.subarray(0, CHECKED_BYTES)))
}
