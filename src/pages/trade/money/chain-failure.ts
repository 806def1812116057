/** A request to the chain failed. `hash` is the transaction's hash, '' before a transaction was sent. */
export class ChainFailure extends Error {
  readonly reason: 'reverted' | 'slow' | 'shape' | 'left'
  readonly hash: string
  constructor(reason: ChainFailure['reason'], hash = '') {
    super(reason)
    this.reason = reason
    this.hash = hash
  }
}
