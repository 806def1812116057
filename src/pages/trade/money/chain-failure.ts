/** The chain did not do what was asked; `hash` is of the transaction, '' before there is one. */
export class ChainFailure extends Error {
  readonly reason: 'reverted' | 'slow' | 'shape' | 'left'
  readonly hash: string
  constructor(reason: ChainFailure['reason'], hash = '') {
    super(reason)
    this.reason = reason
    this.hash = hash
  }
}
