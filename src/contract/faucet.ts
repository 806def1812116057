/** Relay path with which a key of the embedded venue refills its account. A live venue has no such path. */
export const FAUCET_PATH = '/api/prep/faucet'
