/** The path of signed calls about a mandate; it is never valid at the venue. */
export const MANDATE_PATH = '/api/prep/mandate'

/** Relay path with which a key of the embedded venue refills its account. A live venue has no such path. */
export const FAUCET_PATH = '/api/prep/faucet'
