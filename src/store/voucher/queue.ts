import type { VoucherBooks, VoucherFile, VoucherStore } from './port.ts'
import { agreeOnSigner } from './signers.ts'

/** The books of a file, whose one connection does one thing after the other: a transaction is one thing. */
export function queuedVouchers(file: VoucherFile): VoucherStore {
  const direct = booksOf(file, async (work) => work())
  let last: Promise<unknown> = Promise.resolve()

  function inTurn<Value>(work: () => Value | Promise<Value>): Promise<Value> {
    const turn = last.then(work)
    // A call that failed rejects for its caller; the next one begins all the same.
    last = Promise.allSettled([turn])
    return turn
  }

  async function transact<Value>(steps: (books: VoucherBooks) => Promise<Value>): Promise<Value> {
    file.begin()
    try {
      const value = await steps(direct)
      file.commit()
      return value
    } catch (error) {
      file.rollback()
      throw error
    }
  }

  return {
    ...booksOf(file, inTurn),
    atomically: (_, steps) => inTurn(() => transact(steps)),
    // The directory belongs to one process.
    registerSigner: async (own) => agreeOnSigner(own, []),
    signingPeers: async () => [],
    leaveSigners: async () => undefined,
    close: file.close,
  }
}

type Way = <Value>(work: () => Value) => Promise<Value>

function booksOf(file: VoucherFile, way: Way): VoucherBooks {
  const asked =
    <Given extends readonly unknown[], Answer>(call: (...given: Given) => Answer) =>
    (...given: Given): Promise<Answer> =>
      way(() => call(...given))
  return {
    byKey: asked(file.byKey),
    byTransaction: asked(file.byTransaction),
    redeemableSince: asked(file.redeemableSince),
    put: asked(file.put),
    putSignature: asked(file.putSignature),
    hold: asked(file.hold),
    release: asked(file.release),
    record: asked(file.record),
    isPaused: asked(file.isPaused),
    isAdopted: asked(file.isAdopted),
    count: asked(file.count),
    list: asked(file.list),
    audit: asked(file.audit),
  }
}
