/** Names the process that answers an act: its id and where its records are, as a query string. */
export const PROCESS_HEADER = 'x-prepd-process'
/** The file of a data directory whose time is that of the last backup. */
export const BACKUP_MARK = 'prepd.backup'

/** The parts of this process that own timers, callbacks and detached work: an unexpected error is counted under one. */
// biome-ignore format: read as a list
export const PARTS = [
  'cache', 'client', 'gateway', 'http', 'mcp', 'process', 'store', 'stream', 'upstream', 'valkey', 'venue',
] as const

export type Part = (typeof PARTS)[number]

/** How much the log says, and how long. */
export const LOGGING = {
  /** A failure that repeats within this time is counted, and logged with the next line. */
  foldMs: 10_000,
  /** A call to the venue that takes longer is logged. */
  slowCallMs: 2_000,
  /** Above the access lines a second of the settings, one request in this many has its line. */
  sampledOneIn: 100,
  requestIdMaxChars: 128,
  /** In the data directory. */
  keyFile: 'prepd.logkey',
  /** Bounds of `logs explain`: what it shows, and how much of a log it holds in memory. */
  explainedMax: 1000,
  openRequestsMax: 10_000,
  linesOfRequestMax: 20,
  lineMaxChars: 64 * 1024,
  /** Lines that wait for whoever reads the log; what does not fit is lost, and counted. */
  backlogMaxBytes: 1024 * 1024,
} as const

/** How spans go to the collector of traces. What does not fit waits for nobody: it is dropped, and counted. */
export const TRACING = {
  /** Spans that wait to be sent. */
  queuedSpansMax: 4096,
  /** Spans sent at once, and how long the first of them waits for the others. */
  batchSpansMax: 512,
  batchDelayMs: 2_000,
  /** How long a batch may take to be taken, attempts included. */
  exportDeadlineMs: 5_000,
  /** How long a stop waits for what is left to be taken. */
  flushDeadlineMs: 3_000,
} as const

/** How a span can end: taken by the collector, not taken by it, or not sent for want of room. */
export const SPAN_OUTCOMES = ['exported', 'failed', 'dropped'] as const
