/** A header that identifies the answering process: its id and the location of its records, as a query string. */
export const PROCESS_HEADER = 'x-prepd-process'
/** A file in the data directory. Its modification time is the time of the last backup. */
export const BACKUP_MARK_FILE = 'prepd.backup'

/** The parts of this process that own timers, callbacks and detached work. Unexpected errors are counted per part. */
// biome-ignore format: read as a list
export const PROCESS_PARTS = [
  'cache', 'client', 'gateway', 'http', 'mcp', 'process', 'store', 'stream', 'upstream', 'valkey', 'venue',
] as const

export type ProcessPart = (typeof PROCESS_PARTS)[number]

/** Bounds of the log. */
export const LOGGING = {
  /** Repetitions of a failure within this time are only counted; the failure's next line has their number. */
  foldMs: 10_000,
  /** A venue call that takes longer than this is logged. */
  slowCallMs: 2_000,
  /** Above the configured rate of access lines, one request in this many is logged. */
  sampledOneIn: 100,
  requestIdMaxChars: 128,
  /** The file name of the log's key in the data directory. */
  keyFile: 'prepd.logkey',
  /** Bounds of the command `logs explain`: the number of shown lines, and the part of a log that it holds in memory. */
  explainedMax: 1000,
  openRequestsMax: 10_000,
  linesOfRequestMax: 20,
  lineMaxChars: 64 * 1024,
  /** Maximum bytes of lines that wait for the log's reader. Further lines are dropped and counted. */
  backlogMaxBytes: 1024 * 1024,
} as const

/** Bounds of the span export. Spans that do not fit are dropped and counted. */
export const TRACING = {
  /** Maximum number of spans that wait to be sent. */
  queuedSpansMax: 4096,
  /** Maximum number of spans per batch, and how long the first span waits for more spans. */
  batchSpansMax: 512,
  batchDelayMs: 2_000,
  /** Maximum time to export a batch, retries included. */
  exportDeadlineMs: 5_000,
  /** How long a stop waits for the export of the remaining spans. */
  flushDeadlineMs: 3_000,
} as const

/** Outcomes of a span's export. `failed`: the collector did not accept it. `dropped`: the queue was full. */
export const SPAN_OUTCOMES = ['exported', 'failed', 'dropped'] as const
