/** The chain did not carry out a request; `hash` is of the transaction, '' before there is a transaction. */
export class ChainFailure extends Error {
  readonly reason: 'reverted' | 'slow' | 'shape' | 'left'
  readonly hash: string
  constructor(reason: ChainFailure['reason'], hash = '') {
    super(reason)
    this.reason = reason
    this.hash = hash
  }
}
