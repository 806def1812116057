/** How much the log says, and how long. */
export const LOGGING = {
  /** A failure that repeats within this time is counted, and told with the next line. */
  foldMs: 10_000,
  /** A call to the venue that takes longer is told of. */
  slowCallMs: 2_000,
  /** Above the access lines a second of the settings, one request in this many has its line. */
  sampledOneIn: 100,
  requestIdMaxChars: 128,
  /** In the data directory. */
  keyFile: 'prepd.logkey',
  /** What `logs explain` shows, and how much of a log it keeps in mind meanwhile. */
  explainedMax: 1000,
  openRequestsMax: 10_000,
  linesOfRequestMax: 20,
  lineMaxChars: 64 * 1024,
  /** Lines that wait for whoever reads the log; what does not fit is lost, and counted. */
  backlogMaxBytes: 1024 * 1024,
} as const
