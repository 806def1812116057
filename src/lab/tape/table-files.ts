import { closeSync, constants, readSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { openFile } from '../../tapes/file.ts'

/** The cells of a row, in the order of the requested columns. */
export type Cells = readonly string[]

const GZIP_MAGIC = [0x1f, 0x8b]
const PARQUET_MAGIC = [0x50, 0x41, 0x52, 0x31]
const LINE_MAX_CHARS = 64 * 1024

/**
 * The rows of a CSV file, plain or compressed by gzip, or of a Parquet file, in batches. Throws an Error for an
 * unreadable file, any other format, or a missing column.
 */
export async function* readTable(
  path: string,
  columns: readonly string[],
): AsyncGenerator<readonly Cells[]> {
  const rows = beginsWith(path, PARQUET_MAGIC) ? parquetRows : csvRows
  try {
    yield* rows(path, columns)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown'
    throw new Error(why.includes(path) ? why : `${path} cannot be read: ${why}`, { cause: error })
  }
}

function beginsWith(path: string, magic: readonly number[]): boolean {
  const descriptor = openFile(path, constants.O_RDONLY)
  try {
    const bytes = new Uint8Array(magic.length)
    readSync(descriptor, bytes)
    return magic.every((byte, at) => bytes[at] === byte)
  } finally {
    closeSync(descriptor)
  }
}

async function* csvRows(path: string, columns: readonly string[]): AsyncGenerator<Cells[]> {
  const packed = Bun.file(path).stream()
  const bytes = beginsWith(path, GZIP_MAGIC)
    ? packed.pipeThrough(new DecompressionStream('gzip'))
    : packed
  let places: readonly number[] | null = null
  for await (const lines of linesIn(bytes)) {
    const rows: Cells[] = []
    for (const line of lines) {
      const cells = line.split(',')
      if (places === null) places = columnIndexes(path, cells, columns)
      else if (line !== '') rows.push(places.map((place) => cells[place] ?? ''))
    }
    yield rows
  }
}

async function* linesIn(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string[]> {
  let rest = ''
  for await (const chunk of bytes.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_MAX_CHARS) throw new Error('it has a line that is too long')
    yield lines
  }
  if (rest !== '') yield [rest]
}

function columnIndexes(path: string, names: Cells, columns: readonly string[]): readonly number[] {
  return columns.map((column) => {
    const place = names.indexOf(column)
    if (place < 0) throw new Error(`${path} has no column ${column}`)
    return place
  })
}

async function* parquetRows(path: string, columns: readonly string[]): AsyncGenerator<Cells[]> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } = await import(
    'hyparquet'
  )
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  const names = metadata.schema.slice(1).map(({ name }) => name)
  columnIndexes(path, names, columns)
  const options = {
    file,
    metadata,
    columns: [...columns],
    compressors: COMPRESSORS,
    parsers: TIMES,
  }
  let rowStart = 0
  for (const { num_rows: rowCount } of metadata.row_groups) {
    const rowEnd = rowStart + Number(rowCount)
    const rows: readonly Readonly<Record<string, unknown>>[] = await parquetReadObjects({
      ...options,
      rowStart,
      rowEnd,
    })
    yield rows.map((row) => columns.map((column) => String(row[column] ?? '')))
    rowStart = rowEnd
  }
}

/** Decompressors that the Parquet reader needs from its caller. */
const COMPRESSORS = {
  GZIP: (bytes: Uint8Array) => gunzipSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliDecompressSync(bytes),
  ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes),
}

/** Times of every unit as microseconds. */
const TIMES = {
  timestampFromMilliseconds: (value: bigint) => value * 1000n,
  timestampFromMicroseconds: (value: bigint) => value,
  timestampFromNanoseconds: (value: bigint) => value / 1000n,
}
