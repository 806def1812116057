/** What a key of the embedded venue posts through the relay to have its account filled up; never valid at a live venue. */
export const FAUCET_PATH = '/api/prep/faucet'
