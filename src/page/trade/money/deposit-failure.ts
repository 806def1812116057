/** The chain did not do what was asked; `hash` is of the transaction, '' before there is one. */
export class DepositFailure extends Error {
  readonly reason: 'reverted' | 'slow' | 'shape' | 'left'
  readonly hash: string
  constructor(reason: DepositFailure['reason'], hash = '') {
    super(reason)
    this.reason = reason
    this.hash = hash
  }
}
