/**
 * Archives of plain files in the ustar format, which `tar` can open. Files are streamed, so an archive may be larger
 * than memory.
 */

const BLOCK_BYTES = 512
const NAME_MAX_BYTES = 100
const SIZE = { at: 124, length: 12 } as const
const CHECKSUM = { at: 148, length: 8 } as const
const KIND_AT = 156
const PLAIN_FILE = '0'

export type TarFile = {
  readonly name: string
  readonly sizeBytes: number
  readonly content: AsyncIterable<Uint8Array>
}

/** The bytes of an archive of files. Throws RangeError for an overlong name, and for a file whose size has changed. */
export async function* tarBytes(
  files: Iterable<TarFile>,
  atMs: number,
): AsyncGenerator<Uint8Array<ArrayBufferLike>> {
  for (const { name, sizeBytes, content } of files) {
    yield tarHeader(name, sizeBytes, atMs)
    let leftBytes = sizeBytes
    for await (const chunk of content) {
      leftBytes -= chunk.length
      if (leftBytes < 0) break
      yield chunk
    }
    if (leftBytes !== 0) throw new RangeError(`${name} has changed while it was read`)
    yield new Uint8Array(padding(sizeBytes))
  }
  yield new Uint8Array(2 * BLOCK_BYTES)
}

function tarHeader(name: string, sizeBytes: number, atMs: number): Uint8Array {
  if (Buffer.byteLength(name) > NAME_MAX_BYTES) throw new RangeError(`${name} is too long a name`)
  const header = Buffer.alloc(BLOCK_BYTES)
  header.write(name, 0)
  header.write('0000600\u00000000000\u00000000000\u0000', NAME_MAX_BYTES, 'latin1')
  header.write(`${octal(sizeBytes, SIZE.length - 1)} `, SIZE.at, 'latin1')
  header.write(`${octal(Math.floor(atMs / 1000), 11)} `, SIZE.at + SIZE.length, 'latin1')
  header.write(' '.repeat(CHECKSUM.length), CHECKSUM.at, 'latin1')
  header.write(PLAIN_FILE, KIND_AT, 'latin1')
  header.write('ustar\u000000', 257, 'latin1')
  header.write(`${octal(headerChecksum(header), 6)}\u0000 `, CHECKSUM.at, 'latin1')
  return header
}

function octal(value: number, digits: number): string {
  const text = value.toString(8).padStart(digits, '0')
  if (text.length > digits) throw new RangeError('a file is too large for an archive')
  return text
}

function headerChecksum(header: Uint8Array): number {
  return header.reduce((sum, byte) => sum + byte, 0)
}

function padding(sizeBytes: number): number {
  return (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES
}

/** Handles one file of an archive. The function must read the whole content before its promise settles. */
export type TakeFile = (file: TarFile) => Promise<void>

/**
 * Passes each file of an archive of plain files to `take`. Rejects with RangeError for an invalid or truncated archive.
 */
export async function readTar(bytes: AsyncIterable<Uint8Array>, take: TakeFile): Promise<void> {
  const source = createSource(bytes)
  for (;;) {
    const header = await source.exactly(BLOCK_BYTES)
    if (header.every((byte) => byte === 0)) break
    const { name, sizeBytes } = readHeader(header)
    await take({ name, sizeBytes, content: source.pieces(sizeBytes) })
    await source.exactly(padding(sizeBytes))
  }
  // Reads to the end, because only the last bytes of an encrypted stream prove that the stream is complete.
  await source.rest()
}

function readHeader(header: Buffer): Pick<TarFile, 'name' | 'sizeBytes'> {
  const blank = Buffer.from(header).fill(' ', CHECKSUM.at, CHECKSUM.at + CHECKSUM.length)
  const isWhole = numberAt(header, CHECKSUM) === headerChecksum(blank)
  if (!isWhole || header.toString('latin1', 257, 262) !== 'ustar')
    throw new RangeError('it is no archive of files')
  if (String.fromCharCode(header[KIND_AT] ?? 0) !== PLAIN_FILE)
    throw new RangeError('it holds something else than files')
  const [name = ''] = header.toString('utf8', 0, NAME_MAX_BYTES).split('\u0000')
  return { name, sizeBytes: numberAt(header, SIZE) }
}

function numberAt(header: Buffer, { at, length }: typeof SIZE | typeof CHECKSUM): number {
  const [text = ''] = header
    .toString('latin1', at, at + length)
    .replace('\u0000', ' ')
    .split(' ')
  if (!/^[0-7]{1,11}$/.test(text)) throw new RangeError('it is no archive of files')
  return Number.parseInt(text, 8)
}

/** Reads a stream of bytes in portions of requested sizes. */
function createSource(bytes: AsyncIterable<Uint8Array>) {
  const incoming = bytes[Symbol.asyncIterator]()
  let held: Uint8Array = new Uint8Array()

  /** Reads between 1 and `maxBytes` bytes. Throws RangeError at the end of the stream. */
  async function some(maxBytes: number): Promise<Uint8Array> {
    while (held.length === 0) {
      const { done, value } = await incoming.next()
      if (done) throw new RangeError('it ends too early')
      held = value
    }
    const taken = held.subarray(0, maxBytes)
    held = held.subarray(taken.length)
    return taken
  }

  async function* pieces(count: number): AsyncGenerator<Uint8Array> {
    for (let leftBytes = count; leftBytes > 0; ) {
      const piece = await some(leftBytes)
      leftBytes -= piece.length
      yield piece
    }
  }

  return {
    pieces,
    exactly: async (count: number): Promise<Buffer> => {
      const parts: Uint8Array[] = []
      for await (const piece of pieces(count)) parts.push(piece)
      return Buffer.concat(parts)
    },
    rest: async (): Promise<void> => {
      while (!(await incoming.next()).done);
    },
  }
}
