/** The longest value read of each request header, in characters; more is invalid_request naming it. */
export const HEADER_MAX_CHARS = {
  'accept-encoding': 512,
  authorization: 1024,
  'content-type': 256,
  forwarded: 2048,
  host: 512,
  'if-none-match': 4096,
  origin: 512,
  'x-forwarded-for': 2048,
  'x-forwarded-proto': 256,
} as const

/** The same of every other header: those of agents are ids, keys, names and lists of markets. */
export const HEADER_OTHER_MAX_CHARS = 2048
